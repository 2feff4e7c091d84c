-- name: show_win
-- title: Hands won by the cards
-- question: How often does a player's side win a hand that the cards decide?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival won first_trick second_trick third_trick
-- columns:
--   rules
--   split
--   x: such hands won
--   n: hands decided by two or three tricks
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 64
-- rules: none

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(won) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE won IS NOT NULL AND (third_trick IS NOT NULL OR NOT undecided(first_trick, second_trick)) AND wanted(player)
GROUP BY ALL
ORDER BY ALL
