-- name: mano_advantage
-- title: Mano against pie
-- question: What is it worth to be mano: in hands won, in envidos won, in points?
-- grain: H: one row per rule set, measure and side; pica-pica apart
-- needs:
--   hands: hand_id status score0_after format mano_won
--   seats: hand_id rules rival position points_own envido_won
-- columns:
--   rules
--   measure: hands won, accepted envidos won (two players), or points per hand
--   side: mano, or pie: the mano's side, and the other
--   x: hands or envidos the side won, or points it took
--   n: hands that a side won, accepted envidos, or hands
--   value: x / n
--   low: lower end of the 95 % interval (Wilson; for points the mean less 1.96 standard errors)
--   high: upper end
--   reference
-- params: none
-- hidden: none
-- reference: envido 0.52572 and 0.47428, blind envido
-- catalogue: 69
-- rules: none

WITH sides AS (
    SELECT
        rules,
        if(position = 0, 'mano', 'pie') AS side,
        if(position = 0, mano_won, NOT mano_won) AS won,
        if(rival IS NOT NULL, envido_won, NULL) AS envido_won,
        points_own AS points
    FROM seats
    JOIN hands USING (hand_id, rules)
    ANTI JOIN uncounted USING (hand_id)
    WHERE position IN (0, 1) AND format IS DISTINCT FROM 'pica-pica'
),
shares AS (
    SELECT rules, 'hands won' AS measure, side, count_if(won) AS x, count(won) AS n, NULL AS reference
    FROM sides
    GROUP BY ALL
    UNION ALL
    SELECT
        rules,
        'accepted envidos won' AS measure,
        side,
        count_if(envido_won) AS x,
        count(envido_won) AS n,
        CASE WHEN plain_envido(rules) THEN if(side = 'mano', 0.5257236125657179, 0.4742763874342821) END AS reference
    FROM sides
    GROUP BY ALL
)
SELECT rules, measure, side, x, n, rate(x, n) AS value, wilson_low(x, n) AS low, wilson_high(x, n) AS high, reference::DOUBLE AS reference
FROM shares
WHERE n > 0
UNION ALL
SELECT
    rules,
    'points per hand' AS measure,
    side,
    sum(points) AS x,
    count(*) AS n,
    avg(points) AS value,
    avg(points) - 1.959963984540054 * standard_error(points) AS low,
    avg(points) + 1.959963984540054 * standard_error(points) AS high,
    NULL AS reference
FROM sides
GROUP BY ALL
ORDER BY ALL
