-- name: hand_win
-- title: Hands won
-- question: How often does a player's side take more points from a hand than the other side?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival points_own points_rival
-- columns:
--   rules
--   split
--   x: hands with more points won than lost
--   n: hands
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 3
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(points_own > points_rival) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
