-- name: envido_over_truco
-- title: Envido over a truco
-- question: How often does a player answer a truco with the envido when he may?
-- grain: D: one row per rule set and position; all players together
-- needs:
--   hands: hand_id rules status score0_after
--   events: hand_id word position pending legal
-- columns:
--   rules
--   position: mano, or not mano
--   x: decisions for an envido call
--   n: decisions that faced a truco with the envido still open
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 13
-- rules: envido

SELECT
    hands.rules,
    if(events.position = 0, 'mano', 'not mano') AS position,
    tally(events.word IN ('envido', 'real-envido', 'falta-envido')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM events
JOIN hands USING (hand_id)
WHERE events.pending = 'truco' AND can(events.legal, 'envido')
    AND hands.status = 'complete' AND hands.score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
