-- name: envido_open_mix
-- title: Words that open the envido
-- question: With which word does a player open the envido?
-- grain: E: one row per rule set, split and word
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family word opening player is_mano rules score_own score_rival
-- columns:
--   rules
--   split
--   word: the word called
--   x: envidos opened with it
--   n: envidos opened
--   rate
--   low
--   high
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: none
-- catalogue: 12
-- rules: envido

WITH counts AS (
    SELECT rules, split_of($by, player, is_mano, rules, score_own, score_rival) AS split, word, count(*) AS x
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'envido' AND opening AND wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    word,
    x,
    sum(x) OVER (PARTITION BY rules, split) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM counts
ORDER BY ALL
