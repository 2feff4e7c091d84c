-- name: head_to_head
-- title: Head to head
-- question: How does each player fare against each rival?
-- grain: P: one row per rule set, player and rival; two players
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player rival rules points_own points_rival
-- columns:
--   rules
--   player: name
--   rival: name of the rival
--   x: hands with more points won than lost
--   n: hands
--   rate
--   low
--   high
--   mean: points won less points lost per hand
--   sd
--   se
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 78
-- rules: game for two

SELECT
    rules,
    player,
    rival,
    tally(points_own > points_rival) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    avg(points_own - points_rival) AS mean,
    stddev_samp(points_own - points_rival) AS sd,
    standard_error(points_own - points_rival) AS se
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE rival IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
