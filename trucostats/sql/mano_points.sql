-- name: mano_points
-- title: Points of the mano
-- question: How many points is it worth to be mano?
-- grain: H: one row per rule set
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id is_mano rules points_own points_rival
-- columns:
--   rules
--   n: hands
--   mean: points of the mano's side less those of the other
--   sd
--   se
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 69
-- rules: none

SELECT
    rules,
    count(*) AS n,
    avg(points_own - points_rival) AS mean,
    stddev_samp(points_own - points_rival) AS sd,
    standard_error(points_own - points_rival) AS se
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE is_mano AND wanted(player)
GROUP BY ALL
ORDER BY ALL
