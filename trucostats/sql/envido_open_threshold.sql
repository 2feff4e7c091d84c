-- name: envido_open_threshold
-- title: Numbers that open the envido
-- question: With what numbers does a player open the envido?
-- grain: E: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family opening player is_mano rules score_own score_rival envido strength
-- columns:
--   rules
--   split
--   n: envidos opened with a known number
--   mean: number
--   sd
--   se
--   q25: lower quartile
--   median: median
--   q75: upper quartile
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: all-known: shown-only where some hands were never shown; known hands that have no number are left out
-- reference: none
-- catalogue: 25
-- rules: envido

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    count(envido) AS n,
    avg(envido) AS mean,
    stddev_samp(envido) AS sd,
    standard_error(envido) AS se,
    quantile_cont(envido, 0.25) AS q25,
    quantile_cont(envido, 0.5) AS median,
    quantile_cont(envido, 0.75) AS q75,
    selection(count(*) - count(envido)) AS selection
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'envido' AND opening AND (envido IS NOT NULL OR strength IS NULL) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
