-- name: bluff_catch
-- title: Bluffs caught
-- question: How often does a player who accepts a truco call catch a bluff and win?
-- grain: D: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family rules score_own score_rival envido strength answer answerer answerer_is_mano answerer_envido answerer_strength won
-- columns:
--   rules
--   split
--   x: bluffs accepted and beaten
--   n: calls accepted with the cards of both known
--   rate
--   low
--   high
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
--   below=0.30: strength under which a call is a bluff
-- hidden: all-known: shown-only where some hands were never shown; deals of one card are left out; the strength is that of the three dealt cards, not of what was left at the call
-- reference: none
-- catalogue: 54
-- rules: none

SELECT
    rules,
    split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
    tally(strength < $below AND answerer_strength IS NOT NULL AND NOT won) AS x,
    tally(strength IS NOT NULL AND answerer_strength IS NOT NULL) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(tally(strength IS NULL OR answerer_strength IS NULL)) AS selection
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'truco' AND answer IN ('quiero', 'played')
    AND (strength IS NOT NULL OR envido IS NULL) AND (answerer_strength IS NOT NULL OR answerer_envido IS NULL) AND wanted(answerer)
GROUP BY ALL
ORDER BY ALL
