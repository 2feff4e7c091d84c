-- name: third_trick_win
-- title: Hands won in the third trick
-- question: How often does a player's side win a hand that comes to the third trick?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival won first_trick second_trick
-- columns:
--   rules
--   split
--   x: such hands won
--   n: hands that came to the third trick and were won by a side
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 63
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
WHERE undecided(first_trick, second_trick) AND won IS NOT NULL AND wanted(player)
GROUP BY ALL
ORDER BY ALL
