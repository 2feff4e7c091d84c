-- name: contraflor
-- title: Contraflor
-- question: How often does a player who holds a flor answer a flor with a contraflor?
-- grain: D: one row per rule set and position; all players together
-- needs:
--   hands: hand_id rules status score0_after
--   events: hand_id seat word position legal
--   seats: hand_id seat flor
-- columns:
--   rules
--   position: mano, or not mano
--   x: contraflor or contraflor al resto
--   n: decisions of a player with a flor that faced a flor and could raise it
--   rate
--   low
--   high
-- params: none
-- hidden: all-known: hands of a flor that is known
-- reference: none
-- catalogue: 31
-- rules: flor

SELECT
    hands.rules,
    if(events.position = 0, 'mano', 'not mano') AS position,
    tally(events.word IN ('contraflor', 'contraflor-al-resto')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM events
JOIN hands USING (hand_id)
JOIN seats USING (hand_id, seat)
WHERE can(events.legal, 'contraflor') AND seats.flor IS NOT NULL
    AND hands.status = 'complete' AND hands.score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
