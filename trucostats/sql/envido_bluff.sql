-- name: envido_bluff
-- title: Envido bluffs
-- question: How many of a player's envido calls stand on a low number?
-- grain: E: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family player is_mano rules score_own score_rival envido strength
-- columns:
--   rules
--   split
--   x: calls with at most that number
--   n: calls with a known number
--   rate
--   low
--   high
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
--   most=23: highest number that counts as a bluff
-- hidden: all-known: shown-only where some hands were never shown; known hands that have no number are left out
-- reference: none
-- catalogue: 24
-- rules: envido

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(envido <= $most) AS x,
    tally(envido IS NOT NULL) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(tally(envido IS NULL)) AS selection
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'envido' AND (envido IS NOT NULL OR strength IS NULL) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
