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

WITH losers AS (
    SELECT
        games.rules,
        unnest(string_split(if(games.winner = 0, team1, team0), ' + ')) AS player,
        2 * if(games.winner = 0, score1, score0) < target_of(games.rules) AS blank
    FROM games
    JOIN matches USING (match)
    WHERE games.finished AND games.winner IS NOT NULL
)
SELECT
    rules,
    player,
    count_if(blank) AS x,
    count(blank) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM losers
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
