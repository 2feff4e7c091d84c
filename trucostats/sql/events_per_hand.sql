-- name: events_per_hand
-- title: Events per hand
-- question: How many events does a hand take?
-- grain: H: one row per rule set and number of players
-- needs:
--   hands: rules seats status events score0_after
-- columns:
--   rules
--   seats: players at the table
--   n: hands
--   mean: events
--   sd
--   se
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 9
-- rules: none

SELECT
    rules,
    seats,
    count(*) AS n,
    avg(events) AS mean,
    stddev_samp(events) AS sd,
    standard_error(events) AS se
FROM hands
WHERE status = 'complete' AND score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
