-- name: falta_call
-- title: Falta envido called
-- question: In how many of the hands in which he may does a player call a falta envido?
-- grain: P: one row per rule set and split; hands in which he could open the envido, or raise one
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id seat player is_mano rules score_own score_rival envido_chance
--   calls: hand_id family word seat answer_seat can_raise
-- columns:
--   rules
--   split
--   x: hands with a falta envido of his
--   n: hands in which he could call one
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 19
-- rules: envido

WITH faltas AS (
    SELECT DISTINCT hand_id, seat
    FROM calls
    WHERE word = 'falta-envido'
),
raises AS (
    SELECT DISTINCT hand_id, answer_seat AS seat
    FROM calls
    WHERE family = 'envido' AND can_raise
)
SELECT
    rules,
    split_of($by, player, is_mano, rules, score_own, score_rival) AS split,
    count(faltas.seat) AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM seats
ANTI JOIN uncounted USING (hand_id)
LEFT JOIN faltas USING (hand_id, seat)
LEFT JOIN raises USING (hand_id, seat)
WHERE (envido_chance OR raises.seat IS NOT NULL) AND wanted(player)
GROUP BY rules, split
ORDER BY ALL
