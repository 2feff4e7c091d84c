-- name: hand_endings
-- title: How hands end
-- question: How do hands end, and what do they pay?
-- grain: H: one row per rule set and ending
-- needs:
--   hands: rules status ended_by truco0 truco1 score0_after
-- columns:
--   rules
--   ended_by: cards, refusal, mazo, declined, infraction, game, or misdeal
--   x: hands that ended so
--   n: hands
--   rate
--   low
--   high
--   points: truco points these hands paid
--   points_share: share of all truco points
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 50
-- rules: none

WITH endings AS (
    SELECT rules, ended_by, count(*) AS x, sum(truco0 + truco1) AS points
    FROM hands
    WHERE status = 'complete' AND score0_after IS NOT NULL
    GROUP BY ALL
)
SELECT
    rules,
    ended_by,
    x,
    sum(x) OVER (PARTITION BY rules) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    points,
    rate(points, sum(points) OVER (PARTITION BY rules)) AS points_share
FROM endings
ORDER BY ALL
