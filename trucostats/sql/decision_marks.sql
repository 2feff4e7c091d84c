-- name: decision_marks
-- title: Doubtful and bad decisions
-- question: How often is a decision of a player marked doubtful, bad or very bad?
-- grain: D: one row per rule set, player and mark
-- needs:
--   decisions: rules player loss mark
-- columns:
--   rules
--   player: who decided
--   mark: doubtful, bad or very bad
--   x: decisions with this mark
--   n: decisions that were evaluated and not forced
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 83
-- rules: none

SELECT
    rules,
    player,
    m.mark,
    tally(d.mark = m.mark) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM decisions AS d
CROSS JOIN (VALUES ('doubtful'), ('bad'), ('very bad')) AS m(mark)
WHERE loss IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
