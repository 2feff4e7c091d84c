-- name: error_rate
-- title: Error rate
-- question: How many thousandths of a point does a player lose per decision, by the kind of decision?
-- grain: D: one row per rule set, player and kind
-- needs:
--   decisions: rules player kind loss
-- columns:
--   rules
--   player: who decided
--   kind: envido, answer, raise (to call or not), or card (which)
--   n: decisions that were evaluated and not forced
--   mean: mean loss in thousandths of a point
--   sd
--   se
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 81
-- rules: none

SELECT
    rules,
    player,
    kind,
    count(*) AS n,
    1000 * avg(loss) AS mean,
    1000 * stddev_samp(loss) AS sd,
    1000 * standard_error(loss) AS se
FROM decisions
WHERE loss IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
