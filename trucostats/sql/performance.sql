-- name: performance
-- title: Performance rating and accuracy
-- question: How far from the equilibrium does a player decide, with every loss measured by the match?
-- grain: D: one row per rule set, player and metric
-- needs:
--   decisions: rules player metric normal
-- columns:
--   rules
--   player: who decided
--   metric: name of the thresholds and formulas; only equal names compare
--   n: decisions that were evaluated and not forced
--   pr: 500 times the mean normalised loss in points at 0-0; less is better
--   accuracy: 100 exp(-5 x mean normalised loss), in percent
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 82, 87
-- rules: none

SELECT
    rules,
    player,
    metric,
    count(*) AS n,
    500 * avg(normal) AS pr,
    100 * exp(-5 * avg(normal)) AS accuracy
FROM decisions
WHERE normal IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
