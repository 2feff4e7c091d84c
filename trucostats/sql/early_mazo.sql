-- name: early_mazo
-- title: Leaving the hand early
-- question: How often does a player go to the mazo in the first trick?
-- grain: P: one row per rule set and split; pica-pica apart
-- needs:
--   hands: hand_id format status score0_after
--   seats: hand_id player is_mano rules score_own score_rival folded_in
-- columns:
--   rules
--   split
--   x: hands he left in the first trick
--   n: hands
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 57
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(folded_in = 1) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
ANTI JOIN pica_pica USING (hand_id)
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
