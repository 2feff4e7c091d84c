-- name: match_win
-- title: Matches won
-- question: How often does a player win a match that was finished?
-- grain: M: one row per rule set and player; every match counts, legal or not
-- needs:
--   matches: rules team0 team1 winner
-- columns:
--   rules
--   player: name
--   x: matches won
--   n: matches won or lost
--   rate
--   low
--   high
--   unfinished: matches without a winner
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 2
-- rules: none

WITH sides AS (
    SELECT rules, winner, 0 AS team, unnest(string_split(team0, ' + ')) AS player FROM matches
    UNION ALL
    SELECT rules, winner, 1 AS team, unnest(string_split(team1, ' + ')) AS player FROM matches
)
SELECT
    rules,
    player,
    count_if(winner = team) AS x,
    count(winner) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    count_if(winner IS NULL) AS unfinished
FROM sides
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
