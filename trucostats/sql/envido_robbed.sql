-- name: envido_robbed
-- title: Envidos stolen
-- question: How often is a player's envido call refused?
-- grain: E: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family player is_mano rules score_own score_rival answer
-- columns:
--   rules
--   split
--   x: own calls refused
--   n: own calls answered
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: break-even of a pure bluff: envido 0.667, real envido 0.75
-- catalogue: 23
-- rules: envido

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(answer IN ('no-quiero', 'mazo')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'envido' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND wanted(player)
GROUP BY ALL
ORDER BY ALL
