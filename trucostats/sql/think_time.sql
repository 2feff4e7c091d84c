-- name: think_time
-- title: Time to answer
-- question: How long does a player take for each answer to a call?
-- grain: D: one row per rule set, split, family and answer; hands whose log says when things happened
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id event family answer answer_event answerer answerer_is_mano rules score_own score_rival
--   events: hand_id event time_ms
-- columns:
--   rules
--   split
--   family: truco, envido or flor
--   answer: quiero, no-quiero, raise, mazo or played
--   n: answers whose time is known
--   median: seconds from the call to the answer
--   quarter: a quarter took less, in seconds
--   three_quarters: three quarters took less
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 75
-- rules: none

WITH timed AS (
    SELECT hand_id, event, time_ms FROM events WHERE time_ms IS NOT NULL
),
counted AS (
    SELECT
        rules,
        split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
        family,
        answer,
        count(*) AS n,
        quantile_cont(answered.time_ms - called.time_ms, [0.25, 0.5, 0.75]) AS parts
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    JOIN timed AS called ON called.hand_id = calls.hand_id AND called.event = calls.event
    JOIN timed AS answered ON answered.hand_id = calls.hand_id AND answered.event = calls.answer_event
    WHERE answer IN ('quiero', 'no-quiero', 'raise', 'mazo', 'played') AND wanted(answerer)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    family,
    answer,
    n,
    parts[2] / 1000 AS median,
    parts[1] / 1000 AS quarter,
    parts[3] / 1000 AS three_quarters
FROM counted
ORDER BY ALL
