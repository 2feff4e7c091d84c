-- name: truco_accept_by_strength
-- title: Truco accepted by strength
-- question: How often is a truco call accepted or raised with weak and strong cards?
-- grain: D: one row per rule set, split, word, position and bucket of strength
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family word rules score_own score_rival answer answerer answerer_is_mano answerer_strength
-- columns:
--   rules
--   split
--   word: the word faced
--   position: mano, or not mano
--   strength_from: lower end of the bucket of the strength of the dealt cards
--   x: accepted or raised
--   n: calls faced with known cards
--   rate
--   low
--   high
-- params:
--   by=all|player|mano|half|lead: split not at all, by player, by mano or not, by own half of the game, or by the lead in points
--   buckets=10: how many buckets the strength is cut into
-- hidden: all-known: shown-only where some hands were never shown; the strength is that of the three dealt cards
-- reference: points take points: truco needs 0.25, retruco 0.167, vale cuatro 0.125
-- catalogue: 40
-- rules: none

SELECT
    rules,
    split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
    word,
    if(answerer_is_mano, 'mano', 'not mano') AS position,
    least(floor(answerer_strength * $buckets), $buckets - 1) / $buckets AS strength_from,
    tally(answer IN ('quiero', 'played', 'raise')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'truco' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND answerer_strength IS NOT NULL AND wanted(answerer)
GROUP BY ALL
ORDER BY ALL
