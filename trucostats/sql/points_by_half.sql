-- name: points_by_half
-- title: Malas and buenas
-- question: How many points does a hand bring in each half of the game?
-- grain: P: one row per rule set, split and halves of both sides
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player rules score_own score_rival points_own points_rival
-- columns:
--   rules
--   split
--   own: half of the own side, malas or buenas
--   rival: half of the other side
--   n: hands
--   mean: points won less points lost per hand
--   sd
--   se
-- params:
--   by=player|all: split by player, or not at all
-- hidden: none
-- reference: none
-- catalogue: 71
-- rules: none

WITH scores AS (
    SELECT
        rules,
        if($by = 'player', player, 'all') AS split,
        score_own,
        score_rival,
        count(*) AS hands,
        sum(points_own - points_rival) AS s,
        sum(square(points_own - points_rival)) AS ss
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    half_of(score_own, rules) AS own,
    half_of(score_rival, rules) AS rival,
    sum(hands) AS n,
    sum(s) / n AS mean,
    sum_sd(sum(s), sum(ss), n) AS sd,
    sum_se(sum(s), sum(ss), n) AS se
FROM scores
GROUP BY ALL
ORDER BY ALL
