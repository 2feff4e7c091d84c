-- name: truco_answers
-- title: Answers to the truco
-- question: What does a player answer to truco, retruco and vale cuatro?
-- grain: D: one row per rule set, split, word and answer
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family word step rules score_own score_rival answer answerer answerer_is_mano can_raise
-- columns:
--   rules
--   split
--   step: step of the ladder
--   word: the word faced
--   answer: accept; fold; raise
--   x: answers of this kind
--   n: calls faced (raise: those that could be raised)
--   rate
--   low
--   high
--   via_mazo: folds by leaving the hand
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: break-even of a pure bluff, as folds: truco 0.333, retruco 0.4, vale cuatro 0.286
-- catalogue: 40, 41, 42, 43, 44, 45, 46
-- rules: none

WITH faced AS (
    SELECT
        rules,
        split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
        step, word,
        count(*) AS n,
        tally(answer IN ('quiero', 'played')) AS accepted,
        tally(answer IN ('no-quiero', 'mazo')) AS folded,
        tally(answer = 'mazo') AS mazo,
        tally(answer = 'raise') AS raised,
        tally(can_raise) AS raisable
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'truco' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND wanted(answerer)
    GROUP BY ALL
),
answers AS (
    SELECT rules, split, step, word, unnest([
        {'answer': 'accept', 'x': accepted, 'n': n, 'via_mazo': NULL},
        {'answer': 'fold', 'x': folded, 'n': n, 'via_mazo': mazo},
        {'answer': 'raise', 'x': raised, 'n': raisable, 'via_mazo': NULL}
    ], recursive := true)
    FROM faced
)
SELECT
    rules,
    split,
    step, word,
    answer,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    via_mazo
FROM answers
ORDER BY ALL
