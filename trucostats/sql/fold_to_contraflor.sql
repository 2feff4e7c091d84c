-- name: fold_to_contraflor
-- title: Folding to a contraflor
-- question: How often does a player refuse a contraflor?
-- grain: D: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id word rules score_own score_rival answer answerer answerer_is_mano
-- columns:
--   rules
--   split
--   x: refused, by word or by leaving the hand
--   n: contraflores faced
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 32
-- rules: flor

SELECT
    rules,
    split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
    tally(answer IN ('no-quiero', 'mazo')) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE word IN ('contraflor', 'contraflor-al-resto') AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND wanted(answerer)
GROUP BY ALL
ORDER BY ALL
