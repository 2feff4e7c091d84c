-- name: hands_played
-- title: Hands played
-- question: How many hands that count did each player play?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival
-- columns:
--   rules
--   split
--   n: hands
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 1
-- rules: none

SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, count(*) AS n
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
