-- name: hand_statuses
-- title: Status of the hands
-- question: How many recorded hands are complete, open, void or illegal?
-- grain: H: one row per rule set and status; every hand counts
-- needs:
--   hands: rules status score0_after
-- columns:
--   rules
--   status: complete, open, void or illegal
--   x: hands with this status
--   n: hands
--   rate
--   low
--   high
--   unknown_points: complete hands whose points are not known; they count nowhere else
-- params: none
-- hidden: none
-- reference: none
-- catalogue: none
-- rules: none

WITH statuses AS (
    SELECT rules, status, count(*) AS x, tally(status = 'complete' AND score0_after IS NULL) AS unknown_points
    FROM hands
    GROUP BY ALL
)
SELECT
    rules,
    status,
    x,
    sum(x) OVER (PARTITION BY rules) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    unknown_points
FROM statuses
ORDER BY ALL
