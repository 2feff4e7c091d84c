-- name: envido_win_by_value
-- title: Envidos won by value
-- question: How often does a number of the envido win once the envido is accepted, and how often would it against any hand?
-- grain: P: one row per rule set, own number and position; two players, dealt cards known
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id rival is_mano rules known envido envido_won
-- columns:
--   rules
--   value: own envido
--   position: mano, or pie
--   x: accepted envidos won
--   n: accepted envidos
--   rate
--   low
--   high
--   reference: exact share of all rival hands that the number beats (ties go to the mano)
--   selection
-- params: none
-- hidden: all-known: shown-only where some hands were never shown; known hands that have no number are left out
-- reference: exact over all 76,767,600 deals of two hands, flor hands by their best two cards
-- catalogue: 21
-- rules: envido

WITH counts AS (
    SELECT
        rules,
        envido AS value,
        is_mano,
        tally(envido_won) AS x,
        count(*) AS n
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE envido_won IS NOT NULL AND rival IS NOT NULL AND (envido IS NOT NULL OR NOT known) AND wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    value,
    if(is_mano, 'mano', 'pie') AS position,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    CASE WHEN plain_envido(rules) THEN (rival_lower + if(is_mano, rival_equal, 0)) / deals END AS reference,
    selection(count(*) FILTER (WHERE value IS NULL) OVER (PARTITION BY rules)) AS selection
FROM counts
LEFT JOIN envido_exact USING (value)
QUALIFY value IS NOT NULL
ORDER BY ALL
