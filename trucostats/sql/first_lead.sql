-- name: first_lead
-- title: First lead
-- question: Does the mano lead his strongest, his middle or his weakest card?
-- grain: P: one row per rule set, split and rank; the mano's first card, dealt cards known
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival known first_card first_card_rank
-- columns:
--   rules
--   split
--   card: highest, middle or lowest of the dealt cards
--   x: leads of this kind
--   n: first leads with known cards
--   rate
--   low
--   high
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: all-known: shown-only where some hands were never shown; deals of one card are left out
-- reference: none
-- catalogue: 65
-- rules: none

WITH leads AS (
    SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, first_card_rank AS rank, count(*) AS x
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE is_mano AND first_card IS NOT NULL AND (first_card_rank IS NOT NULL OR NOT known) AND wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    CASE rank WHEN 1 THEN 'highest' WHEN 2 THEN 'middle' ELSE 'lowest' END AS card,
    x,
    sum(x) FILTER (WHERE rank IS NOT NULL) OVER (PARTITION BY rules, split) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(count(*) FILTER (WHERE rank IS NULL) OVER (PARTITION BY rules, split)) AS selection
FROM leads
QUALIFY rank IS NOT NULL
ORDER BY ALL
