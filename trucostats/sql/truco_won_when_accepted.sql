-- name: truco_won_when_accepted
-- title: Hands won once truco is accepted
-- question: How often does a player win a hand in which truco was accepted?
-- grain: E: one row per rule set and player; the caller and who answered
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family opening player rules answer answerer won
-- columns:
--   rules
--   player: who called or answered
--   x: such hands won
--   n: hands in which his truco, or a truco he answered, was accepted or raised
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 48
-- rules: none

WITH sides AS (
    SELECT rules, player, tally(won) AS wins, count(won) AS decided
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'truco' AND opening AND answer IN ('quiero', 'played', 'raise') AND wanted(player)
    GROUP BY ALL
    UNION ALL
    SELECT rules, answerer AS player, tally(NOT won) AS wins, count(won) AS decided
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'truco' AND opening AND answer IN ('quiero', 'played', 'raise') AND wanted(answerer)
    GROUP BY ALL
)
SELECT
    rules,
    player,
    sum(wins) AS x,
    sum(decided) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM sides
GROUP BY ALL
ORDER BY ALL
