-- name: first_card
-- title: First card
-- question: Which card is played first?
-- grain: P: one row per rule set, split, role and card
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival first_card
-- columns:
--   rules
--   split
--   role: lead for the mano, follow for the others
--   card: card played first
--   x: hands
--   n: hands in which this role played a card
--   rate
--   low
--   high
-- params:
--   by=all|player|mano|half|lead: split not at all, by player, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 68
-- rules: none

WITH cards AS (
    SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, if(is_mano, 'lead', 'follow') AS role, first_card AS card, count(*) AS x
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE first_card IS NOT NULL AND wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    role,
    card,
    x,
    sum(x) OVER (PARTITION BY rules, split, role) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM cards
ORDER BY ALL
