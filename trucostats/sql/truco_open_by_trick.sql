-- name: truco_open_by_trick
-- title: Calling truco by trick
-- question: How often is truco called first in each trick, before and after one's own card?
-- grain: D: one row per rule set, trick, position and own card; all players together, pica-pica apart
-- needs:
--   hands: hand_id rules format status score0_after
--   events: hand_id word trick position cards_left legal
-- columns:
--   rules
--   trick: trick, from 1
--   position: mano, or not mano
--   after_card: the player had played to this trick
--   x: first truco calls
--   n: decisions at which it could be called
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 36
-- rules: none

SELECT
    hands.rules,
    events.trick,
    if(events.position = 0, 'mano', 'not mano') AS position,
    events.cards_left = 3 - events.trick AS after_card,
    tally(events.word IN ('truco', 'truc')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM events
JOIN hands USING (hand_id)
WHERE (can(events.legal, 'truco') OR can(events.legal, 'truc'))
    AND hands.status = 'complete' AND hands.score0_after IS NOT NULL AND hands.format IS DISTINCT FROM 'pica-pica'
GROUP BY ALL
ORDER BY ALL
