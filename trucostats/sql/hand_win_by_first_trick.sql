-- name: hand_win_by_first_trick
-- title: Hands won by the first trick
-- question: How often is the hand won after the first trick was won, lost or tied?
-- grain: P: one row per rule set, split and result of the first trick
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival won first_trick
-- columns:
--   rules
--   split
--   result: own side in the first trick: won, lost or tied
--   x: hands won
--   n: hands decided after such a first trick
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 60, 61, 62
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    CASE first_trick WHEN 1 THEN 'won' WHEN 0 THEN 'lost' ELSE 'tied' END AS result,
    tally(won) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE first_trick IS NOT NULL AND won IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
