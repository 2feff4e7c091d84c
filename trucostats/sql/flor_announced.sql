-- name: flor_announced
-- title: Flores announced
-- question: How often does a player announce a flor that he holds and may announce?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival flor_chance flor_announced
-- columns:
--   rules
--   split
--   x: flores announced
--   n: hands with a flor he could announce
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: all-known: shown-only where some hands were never shown
-- reference: none
-- catalogue: 30
-- rules: flor

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(flor_announced) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE flor_chance AND wanted(player)
GROUP BY ALL
ORDER BY ALL
