-- name: special_hand
-- title: Special hand accepted
-- question: How often does a side on the special score accept the hand?
-- grain: D: one row per rule set
-- needs:
--   hands: hand_id rules status score0_after
--   events: hand_id word
-- columns:
--   rules
--   x: hands accepted
--   n: hands decided on
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 73
-- rules: special hand

SELECT
    hands.rules,
    tally(events.word = 'accept-hand') AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM events
JOIN hands USING (hand_id)
WHERE events.word IN ('accept-hand', 'decline-hand')
    AND hands.status = 'complete' AND hands.score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
