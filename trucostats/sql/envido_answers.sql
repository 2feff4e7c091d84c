-- name: envido_answers
-- title: Answers to the envido
-- question: What does a player answer to a call of the envido family?
-- grain: D: one row per rule set, split and answer
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family rules score_own score_rival answer answerer answerer_is_mano can_raise
-- columns:
--   rules
--   split
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
-- reference: none
-- catalogue: 14, 15, 16
-- rules: envido

WITH faced AS (
    SELECT
        rules,
        split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
        count(*) AS n,
        tally(answer IN ('quiero', 'played')) AS accepted,
        tally(answer IN ('no-quiero', 'mazo')) AS folded,
        tally(answer = 'mazo') AS mazo,
        tally(answer = 'raise') AS raised,
        tally(can_raise) AS raisable
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'envido' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND wanted(answerer)
    GROUP BY ALL
),
answers AS (
    SELECT rules, split, unnest([
        {'answer': 'accept', 'x': accepted, 'n': n, 'via_mazo': NULL},
        {'answer': 'fold', 'x': folded, 'n': n, 'via_mazo': mazo},
        {'answer': 'raise', 'x': raised, 'n': raisable, 'via_mazo': NULL}
    ], recursive := true)
    FROM faced
)
SELECT
    rules,
    split,
    answer,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    via_mazo
FROM answers
ORDER BY ALL
