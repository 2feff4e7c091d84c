-- name: covered_cards
-- title: Covered cards
-- question: How often does a player cover a card?
-- grain: P: one row per rule set and split
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player is_mano rules score_own score_rival covered
-- columns:
--   rules
--   split
--   x: hands in which he covered a card
--   n: hands
--   rate
--   low
--   high
--   cards: cards covered
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 68
-- rules: covered cards

SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    tally(covered > 0) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    sum(covered) AS cards
FROM seats
ANTI JOIN uncounted USING (hand_id)
WHERE wanted(player)
GROUP BY ALL
ORDER BY ALL
