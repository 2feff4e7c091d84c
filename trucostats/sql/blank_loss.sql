-- name: blank_loss
-- title: Lost in the malas
-- question: How often does a side that loses a game lose it without reaching half of the target?
-- grain: M: one row per rule set and player of the losing side; finished games
-- needs:
--   games: match rules score0 score1 finished winner
--   matches: match team0 team1
-- columns:
--   rules
--   player: name
--   x: games lost below half of the target
--   n: games lost
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 6
-- rules: none

WITH lost AS (
    SELECT
        games.rules,
        if(games.winner = 0, team1, team0) AS team,
        if(games.winner = 0, score1, score0) AS score,
        count(*) AS games
    FROM games
    JOIN matches USING (match)
    WHERE games.finished AND games.winner IS NOT NULL
    GROUP BY ALL
),
sides AS (
    SELECT rules, unnest(string_split(team, ' + ')) AS player, half_of(score, rules) = 'malas' AS blank, games FROM lost
)
SELECT
    rules,
    player,
    sum(if(blank, games, 0)) AS x,
    sum(games) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM sides
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
