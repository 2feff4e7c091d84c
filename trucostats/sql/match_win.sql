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

WITH teams AS (
    SELECT rules, team0 AS team, tally(winner = 0) AS wins, count(winner) AS decided, count(*) AS played
    FROM matches
    GROUP BY ALL
    UNION ALL
    SELECT rules, team1 AS team, tally(winner = 1) AS wins, count(winner) AS decided, count(*) AS played
    FROM matches
    GROUP BY ALL
),
sides AS (
    SELECT rules, unnest(string_split(team, ' + ')) AS player, wins, decided, played FROM teams
)
SELECT
    rules,
    player,
    sum(wins) AS x,
    sum(decided) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    sum(played - decided) AS unfinished
FROM sides
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
