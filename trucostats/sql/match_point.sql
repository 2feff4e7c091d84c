-- name: match_point
-- title: Near the end of the game
-- question: How do hands go when a side is within a call of winning the game?
-- grain: P: one row per rule set, split and who is near; all players count
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player rules score_own score_rival points_own points_rival truco_chance truco_opened
-- columns:
--   rules
--   split
--   near: the own side, the rival, both or nobody needs at most `within` points
--   x: hands with more points won than lost
--   n: hands
--   rate
--   low
--   high
--   truco_x: hands in which he opened the truco
--   truco_n: hands in which he could
--   truco: rate of these
--   truco_low: lower end of its interval
--   truco_high: upper end
-- params:
--   by=all|player: split not at all, or by player
--   within=2: points to the target that count as near
-- hidden: none
-- reference: none
-- catalogue: 73
-- rules: none

WITH told AS (
    SELECT
        *,
        target_of(rules) - score_own <= $within AS own_near,
        target_of(rules) - score_rival <= $within AS rival_near
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE wanted(player)
)
SELECT
    rules,
    if($by = 'player', player, 'all') AS split,
    CASE WHEN own_near AND rival_near THEN 'both' WHEN own_near THEN 'own' WHEN rival_near THEN 'rival' ELSE 'nobody' END AS near,
    tally(points_own > points_rival) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    tally(truco_opened) AS truco_x,
    tally(truco_chance) AS truco_n,
    rate(truco_x, truco_n) AS truco,
    wilson_low(truco_x, truco_n) AS truco_low,
    wilson_high(truco_x, truco_n) AS truco_high
FROM told
GROUP BY ALL
ORDER BY ALL
