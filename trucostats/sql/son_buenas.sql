-- name: son_buenas
-- title: Son buenas
-- question: How often does a player who speaks after the mano concede without saying his number?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival declared conceded
-- columns:
--   rules
--   split
--   x: envidos conceded
--   n: envidos in which he spoke after the mano
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 26
-- rules: envido

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(conceded) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE NOT is_mano AND (conceded OR declared IS NOT NULL) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
