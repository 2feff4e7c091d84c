-- name: snap_accept
-- title: Accepted at once
-- question: How many of his quieros does a player say within a second of the call?
-- grain: D: one row per rule set, split and family; hands whose log says when things happened
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id event family answer answer_event answerer answerer_is_mano rules score_own score_rival
--   events: hand_id event time_ms
-- columns:
--   rules
--   split
--   family: truco, envido or flor
--   x: quieros in less than `within` milliseconds
--   n: quieros whose time is known
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
--   within=1000: milliseconds that count as at once
-- hidden: none
-- reference: none
-- catalogue: 75
-- rules: none

WITH timed AS (
    SELECT hand_id, event, time_ms FROM events WHERE time_ms IS NOT NULL
)
SELECT
    calls.rules,
    split_of($by, answerer, answerer_is_mano, calls.rules, calls.score_rival, calls.score_own) AS split,
    family,
    tally(answered.time_ms - called.time_ms < $within) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM calls
ANTI JOIN uncounted USING (hand_id)
JOIN timed AS called ON called.hand_id = calls.hand_id AND called.event = calls.event
JOIN timed AS answered ON answered.hand_id = calls.hand_id AND answered.event = calls.answer_event
WHERE answer = 'quiero' AND wanted(answerer)
GROUP BY ALL
ORDER BY ALL
