-- name: mano_envido_win
-- title: Envidos the mano wins
-- question: How often does the mano win an accepted envido between two players?
-- grain: H: one row per rule set; two players
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id rival is_mano rules envido_won
-- columns:
--   rules
--   x: accepted envidos the mano won
--   n: accepted envidos
--   rate
--   low
--   high
--   reference: exact share if both accepted with any hand
-- params: none
-- hidden: none
-- reference: 0.52572, blind envido
-- catalogue: 69
-- rules: envido

SELECT
    rules,
    tally(envido_won) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    CASE WHEN plain_envido(rules) THEN 0.5257236125657179e0 END AS reference
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE is_mano AND envido_won IS NOT NULL AND rival IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
