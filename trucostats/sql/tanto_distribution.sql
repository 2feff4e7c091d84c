-- name: tanto_distribution
-- title: Numbers dealt
-- question: How often is each number of the envido dealt?
-- grain: P: one row per rule set and number; dealt cards known
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id rules known envido
-- columns:
--   rules
--   value: envido
--   x: hands with it
--   n: hands with a known number
--   rate
--   low
--   high
--   reference: exact share of all hands of three cards
--   selection
-- params: none
-- hidden: all-known: shown-only where some hands were never shown; known hands that have no number are left out
-- reference: exact over all 9,880 hands
-- catalogue: 27
-- rules: envido

WITH counts AS (
    SELECT rules, envido AS value, count(*) AS x
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE (envido IS NOT NULL OR NOT known) AND wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    value,
    x,
    sum(x) FILTER (WHERE value IS NOT NULL) OVER (PARTITION BY rules) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    CASE WHEN plain_envido(rules) THEN deals / 76767600 END AS reference,
    selection(count(*) FILTER (WHERE value IS NULL) OVER (PARTITION BY rules)) AS selection
FROM counts
LEFT JOIN envido_exact USING (value)
QUALIFY value IS NOT NULL
ORDER BY ALL
