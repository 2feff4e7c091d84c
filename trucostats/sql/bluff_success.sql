-- name: bluff_success
-- title: Bluffs that work
-- question: How often is a player's truco bluff refused?
-- grain: E: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family player is_mano rules score_own score_rival envido strength answer
-- columns:
--   rules
--   split
--   x: bluffs refused
--   n: bluffs answered
--   rate
--   low
--   high
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
--   below=0.30: strength under which a call is a bluff
-- hidden: all-known: shown-only where some hands were never shown; deals of one card are left out; the strength is that of the three dealt cards, not of what was left at the call
-- reference: break-even of a pure bluff: truco 0.333, retruco 0.4, vale cuatro 0.286
-- catalogue: 52
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(strength < $below AND answer IN ('no-quiero', 'mazo')) AS x,
    tally(strength < $below) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(tally(strength IS NULL)) AS selection
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'truco' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise')
    AND (strength IS NOT NULL OR envido IS NULL) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
