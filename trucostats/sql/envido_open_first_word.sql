-- name: envido_open_first_word
-- title: Envido as the first word
-- question: How often does the mano open the envido before anything else was said or played?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival envido_first_word
--   calls: hand_id family opening player is_mano rules over_truco score_own score_rival
-- columns:
--   rules
--   split
--   x: hands in which the mano opened so
--   n: hands in which he could
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 11
-- rules: envido

WITH counts AS (
    SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, 0 AS opened, count(*) AS chances
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE envido_first_word AND wanted(player)
    GROUP BY ALL
    UNION ALL
    SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, count(*) AS opened, 0 AS chances
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'envido' AND opening AND is_mano AND NOT over_truco AND wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    sum(opened) AS x,
    sum(chances) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM counts
GROUP BY ALL
ORDER BY ALL
