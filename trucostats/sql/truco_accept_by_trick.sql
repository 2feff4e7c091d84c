-- name: truco_accept_by_trick
-- title: Truco accepted by trick
-- question: How often is a truco call accepted or raised in each trick?
-- grain: D: one row per rule set, split, word, trick and position; pica-pica apart
-- needs:
--   hands: hand_id format status score0_after
--   calls: hand_id family word rules trick score_own score_rival answer answerer answerer_is_mano
-- columns:
--   rules
--   split
--   word: the word faced
--   trick: trick, from 1
--   position: mano, or not mano
--   x: accepted or raised
--   n: calls faced
--   rate
--   low
--   high
-- params:
--   by=all|player|mano|half|lead: split not at all, by player, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 40
-- rules: none

SELECT
    rules,
    split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
    word,
    trick,
    if(answerer_is_mano, 'mano', 'not mano') AS position,
    tally(answer IN ('quiero', 'played', 'raise')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM calls
ANTI JOIN uncounted USING (hand_id)
ANTI JOIN pica_pica USING (hand_id)
WHERE family = 'truco' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND wanted(answerer)
GROUP BY ALL
ORDER BY ALL
