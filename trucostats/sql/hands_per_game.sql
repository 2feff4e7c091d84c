-- name: hands_per_game
-- title: Hands per game
-- question: How many deals does a game take?
-- grain: M: one row per rule set and whether the game was finished; every recorded game counts
-- needs:
--   games: rules hands finished
-- columns:
--   rules
--   finished: the game was finished
--   n: games
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
FROM games
GROUP BY ALL
ORDER BY ALL
