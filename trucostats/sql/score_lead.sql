-- name: score_lead
-- title: Hands won by the lead
-- question: How often does a side win the hand when it is ahead or behind?
-- grain: P: one row per rule set, split and bucket of the lead
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player rules score_own score_rival points_own points_rival
-- columns:
--   rules
--   split
--   lead_from: lowest lead of the bucket, in points
--   x: hands with more points won than lost
--   n: hands
--   rate
--   low
--   high
--   mean: points won less points lost per hand
-- params:
--   by=all|player: split not at all, or by player
--   step=5: points that a bucket spans
-- hidden: none
-- reference: none
-- catalogue: 72
-- rules: none

SELECT
    rules,
    if($by = 'player', player, 'all') AS split,
    floor((score_own - score_rival) / $step)::INTEGER * $step AS lead_from,
    tally(points_own > points_rival) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    avg(points_own - points_rival) AS mean
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
