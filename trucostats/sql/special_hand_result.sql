-- name: special_hand_result
-- title: Special hand won
-- question: How often does a side that accepted the special hand win it?
-- grain: H: one row per rule set
-- needs:
--   hands: hand_id rules status hand_winner game_winner infraction score0_after
--   events: hand_id seat word
-- columns:
--   rules
--   x: accepted hands won, or the game by a forbidden bet of the other side
--   n: accepted hands won or lost
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
    tally(coalesce(hands.hand_winner, hands.game_winner) = events.seat % 2) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM events
JOIN hands USING (hand_id)
WHERE events.word = 'accept-hand' AND (hands.hand_winner IS NOT NULL OR (hands.infraction AND hands.game_winner IS NOT NULL))
    AND hands.status = 'complete' AND hands.score0_after IS NOT NULL
GROUP BY ALL
ORDER BY ALL
