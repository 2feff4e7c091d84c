-- name: truco_open_after_first
-- title: Calling truco after the first trick
-- question: How often is truco called first once the first trick was won, lost or tied?
-- grain: D: one row per rule set and result of the first trick; all players together
-- needs:
--   hands: hand_id rules status score0_after
--   events: hand_id word first_trick legal
-- columns:
--   rules
--   first_trick: own side in the first trick: won, lost or tied
--   x: first truco calls
--   n: decisions at which it could be called
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 37, 38, 39
-- rules: none

SELECT
    hands.rules,
    CASE events.first_trick WHEN 1 THEN 'won' WHEN 0 THEN 'lost' ELSE 'tied' END AS first_trick,
    tally(events.word IN ('truco', 'truc')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM events
JOIN hands USING (hand_id)
WHERE events.first_trick IS NOT NULL AND (can(events.legal, 'truco') OR can(events.legal, 'truc'))
    AND hands.status = 'complete' AND hands.score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
