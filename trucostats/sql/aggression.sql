-- name: aggression
-- title: Aggression
-- question: How much of what a player says about the stake is a call?
-- grain: E: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family player is_mano rules score_own score_rival answer answerer answerer_is_mano
-- columns:
--   rules
--   split
--   x: truco calls of any step
--   n: those, and calls accepted or refused
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 58
-- rules: none

WITH acts AS (
    SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, count(*) AS calls, 0 AS answers
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'truco' AND wanted(player)
    GROUP BY ALL
    UNION ALL
    SELECT rules, split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split, 0 AS calls, count(*) AS answers
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'truco' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo') AND wanted(answerer)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    sum(calls) AS x,
    sum(calls + answers) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM acts
GROUP BY ALL
ORDER BY ALL
