-- name: mano_advantage
-- title: Mano against pie
-- question: What is it worth to be mano: in hands won, in envidos won, in points?
-- grain: H: one row per rule set, measure and side; pica-pica apart
-- needs:
--   hands: hand_id format status score0_after
--   seats: hand_id rival position rules won points_own envido_won
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

WITH sums AS (
    SELECT
        rules,
        if(position = 0, 'mano', 'pie') AS side,
        tally(won) AS won,
        count(won) AS decided,
        tally(envido_won AND rival IS NOT NULL) AS envidos,
        tally(envido_won IS NOT NULL AND rival IS NOT NULL) AS accepted,
        sum(points_own) AS points,
        count(*) AS hands,
        1.959963984540054 * standard_error(points_own) AS wide
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    ANTI JOIN pica_pica USING (hand_id)
    WHERE position IN (0, 1) AND wanted(player)
    GROUP BY ALL
),
measures AS (
    SELECT rules, side, unnest([
        {'measure': 'hands won', 'x': won, 'n': decided, 'wide': NULL, 'reference': NULL},
        {'measure': 'accepted envidos won', 'x': envidos, 'n': accepted, 'wide': NULL,
            'reference': CASE WHEN plain_envido(rules) THEN if(side = 'mano', 0.5257236125657179e0, 0.4742763874342821e0) END},
        {'measure': 'points per hand', 'x': points, 'n': hands, 'wide': wide, 'reference': NULL}
    ], recursive := true)
    FROM sums
)
SELECT
    rules,
    measure,
    side,
    x,
    n,
    rate(x, n) AS value,
    if(measure = 'points per hand', x / n - wide, wilson_low(x, n)) AS low,
    if(measure = 'points per hand', x / n + wide, wilson_high(x, n)) AS high,
    reference
FROM measures
WHERE n > 0
ORDER BY ALL
