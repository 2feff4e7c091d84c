-- name: mano_hand_win
-- title: Hands the mano wins
-- question: How often does the mano's side win the hand?
-- grain: H: one row per rule set and number of players; pica-pica apart
-- needs:
--   hands: rules seats status mano_won score0_after
-- columns:
--   rules
--   seats: players at the table
--   x: hands the mano's side won
--   n: hands that a side won
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: 69
-- rules: none

SELECT
    rules,
    seats,
    tally(mano_won) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM hands
WHERE status = 'complete' AND score0_after IS NOT NULL AND mano_won IS NOT NULL
GROUP BY ALL
ORDER BY ALL
