-- name: truco_bluff
-- title: Truco bluffs
-- question: How many of a player's truco calls stand on weak cards?
-- grain: E: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family player is_mano rules score_own score_rival envido strength
-- columns:
--   rules
--   split
--   x: calls with less strength
--   n: calls with known cards
--   rate
--   low
--   high
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
--   below=0.30: strength under which a call is a bluff
-- hidden: all-known: shown-only where some hands were never shown; deals of one card are left out; the strength is that of the three dealt cards, not of what was left at the call
-- reference: none
-- catalogue: 51
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(strength < $below) AS x,
    tally(strength IS NOT NULL) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(tally(strength IS NULL)) AS selection
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'truco' AND (strength IS NOT NULL OR envido IS NULL) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
