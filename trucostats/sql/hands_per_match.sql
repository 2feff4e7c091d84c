-- name: hands_per_match
-- title: Hands per match
-- question: How many deals does a match take?
-- grain: M: one row per rule set and whether the match was finished; every recorded match counts
-- needs:
--   matches: rules hands finished
-- columns:
--   rules
--   finished: the match was finished
--   n: matches
--   mean: deals
--   sd
--   se
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 9
-- rules: none

SELECT
    rules,
    finished,
    count(*) AS n,
    avg(hands) AS mean,
    stddev_samp(hands) AS sd,
    standard_error(hands) AS se
FROM matches
GROUP BY ALL
ORDER BY ALL
