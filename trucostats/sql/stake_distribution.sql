-- name: stake_distribution
-- title: Stakes
-- question: How often does a hand end at each stake?
-- grain: H: one row per rule set and stake
-- needs:
--   hands: rules status stake score0_after
-- columns:
--   rules
--   stake: final stake in points
--   x: hands at this stake
--   n: hands
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 56
-- rules: none

WITH stakes AS (
    SELECT rules, stake, count(*) AS x
    FROM hands
    WHERE status = 'complete' AND score0_after IS NOT NULL
    GROUP BY ALL
)
SELECT
    rules,
    stake,
    x,
    sum(x) OVER (PARTITION BY rules) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM stakes
ORDER BY ALL
