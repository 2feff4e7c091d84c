-- name: retruco_delayed
-- title: Raising later
-- question: How often does a player who holds the word raise later in the hand?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival word_held word_used
-- columns:
--   rules
--   split
--   x: hands in which he raised
--   n: hands in which he held the word at a turn of his own
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 47
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(word_used) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE word_held AND wanted(player)
GROUP BY ALL
ORDER BY ALL
