-- name: first_trick_win
-- title: First tricks won
-- question: How often does a player's side win the first trick?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival first_trick
-- columns:
--   rules
--   split
--   x: first tricks won
--   n: first tricks won or lost
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 59
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(first_trick = 1) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE first_trick IN (0, 1) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
