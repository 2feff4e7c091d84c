-- name: points_per_hand
-- title: Points per hand
-- question: How many points does a player's side win per hand, and from what?
-- grain: P: one row per rule set, split and source
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival points_own points_rival envido_own envido_rival flor_own flor_rival truco_own truco_rival
-- columns:
--   rules
--   split
--   source: envido; flor; truco; all
--   n: hands
--   mean: points won less points lost per hand
--   sd
--   se
--   per_100: the mean per 100 hands
--   per_100_se: its standard error
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 4, 5, 8, 22, 34
-- rules: none

WITH sums AS (
    SELECT
        rules,
        split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
        count(*) AS n,
        sum(points_own - points_rival) AS s_all,
        sum(square(points_own - points_rival)) AS ss_all,
        sum(envido_own - envido_rival) AS s_envido,
        sum(square(envido_own - envido_rival)) AS ss_envido,
        sum(flor_own - flor_rival) AS s_flor,
        sum(square(flor_own - flor_rival)) AS ss_flor,
        sum(truco_own - truco_rival) AS s_truco,
        sum(square(truco_own - truco_rival)) AS ss_truco
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE wanted(player)
    GROUP BY ALL
),
sources AS (
    SELECT rules, split, n, unnest([
        {'source': 'envido', 's': s_envido, 'ss': ss_envido},
        {'source': 'flor', 's': s_flor, 'ss': ss_flor},
        {'source': 'truco', 's': s_truco, 'ss': ss_truco},
        {'source': 'all', 's': s_all, 'ss': ss_all}
    ], recursive := true)
    FROM sums
)
SELECT
    rules,
    split,
    source,
    n,
    s / n AS mean,
    sum_sd(s, ss, n) AS sd,
    sum_se(s, ss, n) AS se,
    100 * s / n AS per_100,
    100 * sum_se(s, ss, n) AS per_100_se
FROM sources
ORDER BY ALL
