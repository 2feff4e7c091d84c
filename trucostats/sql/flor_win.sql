-- name: flor_win
-- title: Contraflores won
-- question: How often does a player win an accepted contraflor?
-- grain: E: one row per rule set and player; the caller and who answered
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id word player rules answer answerer won
-- columns:
--   rules
--   player: who called or answered
--   x: accepted contraflores won
--   n: accepted contraflores
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 33
-- rules: flor

WITH sides AS (
    SELECT rules, player, tally(won) AS wins, count(won) AS decided
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE word IN ('contraflor', 'contraflor-al-resto') AND answer = 'quiero' AND wanted(player)
    GROUP BY ALL
    UNION ALL
    SELECT rules, answerer AS player, tally(NOT won) AS wins, count(won) AS decided
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE word IN ('contraflor', 'contraflor-al-resto') AND answer = 'quiero' AND wanted(answerer)
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
