-- name: ladder_depth
-- title: Final stake
-- question: What is a hand worth in the end?
-- grain: H: one row per rule set
-- needs:
--   hands: rules status stake score0_after
-- columns:
--   rules
--   n: hands
--   mean: stake in points
--   sd
--   se
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 56
-- rules: none

SELECT
    rules,
    count(*) AS n,
    avg(stake) AS mean,
    stddev_samp(stake) AS sd,
    standard_error(stake) AS se
FROM hands
WHERE status = 'complete' AND score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
