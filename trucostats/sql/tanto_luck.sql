-- name: tanto_luck
-- title: Luck in the numbers
-- question: Is a player dealt higher numbers of the envido than chance gives?
-- grain: P: one row per rule set and split; dealt cards known
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules known envido score_own score_rival
-- columns:
--   rules
--   split
--   n: hands with a known number
--   mean: number
--   sd
--   se
--   reference
--   z: how many standard errors the mean lies above the reference
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: all-known: shown-only where some hands were never shown; known hands that have no number are left out
-- reference: 17.361133603238866, the mean of all hands of three cards
-- catalogue: 27
-- rules: envido

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    count(envido) AS n,
    avg(envido) AS mean,
    stddev_samp(envido) AS sd,
    standard_error(envido) AS se,
    CASE WHEN plain_envido(rules) THEN 17.361133603238866e0 END AS reference,
    CASE WHEN plain_envido(rules) THEN (avg(envido) - 17.361133603238866e0) / nullif(standard_error(envido), 0) END AS z,
    selection(count(*) - count(envido)) AS selection
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE (envido IS NOT NULL OR NOT known) AND wanted(player)
GROUP BY rules, split
ORDER BY ALL
