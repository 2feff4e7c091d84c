-- name: flor_dealt
-- title: Flores dealt
-- question: How often is a player dealt a flor?
-- grain: P: one row per rule set and split; dealt cards known
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules flor known score_own score_rival
-- columns:
--   rules
--   split
--   x: hands with a flor
--   n: hands with known cards
--   rate
--   low
--   high
--   reference
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: all-known: shown-only where some hands were never shown
-- reference: 480 / 9880 = 0.04858 where no card is turned
-- catalogue: 29
-- rules: flor

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(known AND flor IS NOT NULL) AS x,
    tally(known) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    CASE WHEN plain_envido(rules) THEN 480 / 9880 END AS reference,
    selection(tally(NOT known)) AS selection
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE wanted(player)
GROUP BY ALL
HAVING has_flor(rules)
ORDER BY ALL
