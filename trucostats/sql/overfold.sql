-- name: overfold
-- title: Folding too much
-- question: Does a player refuse so often that a pure bluff against him pays?
-- grain: D: one row per rule set, split and word
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family word opening step rules refused_worth accepted_worth score_own score_rival answer answerer answerer_is_mano
-- columns:
--   rules
--   split
--   word: the word faced
--   x: refused
--   n: calls faced
--   rate
--   low
--   high
--   reference: share of folds at which a call with a lost hand breaks even
--   overfold: rate less reference; above 0 a bluff pays
--   overfold_low: lower end of its interval
--   overfold_high: upper end
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: none
-- reference: truco 0.333, retruco 0.4 and vale cuatro 0.286 in place of a refusal, envido 0.667, real envido 0.75; computed from what the calls are worth
-- catalogue: 55
-- rules: none

WITH faced AS (
    SELECT
        rules,
        split_of($by, answerer, answerer_is_mano, rules, score_rival, score_own) AS split,
        family,
        word,
        step,
        tally(answer IN ('no-quiero', 'mazo')) AS x,
        count(*) AS n,
        min(refused_worth) AS refused,
        min(accepted_worth) AS accepted
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND (family = 'truco' OR (opening AND word IN ('envido', 'real-envido'))) AND wanted(answerer)
    GROUP BY ALL
),
-- A lost hand costs what refusing the call before costs; a raise is measured against that, an envido against nothing.
worths AS (
    SELECT
        rules,
        word,
        min(refused) AS gain,
        min(accepted) AS risk,
        CASE WHEN any_value(family) = 'envido' THEN 0 WHEN min(step) = 1 THEN gain
            ELSE lag(gain) OVER (PARTITION BY rules, any_value(family) ORDER BY min(step)) END AS lost
    FROM faced
    GROUP BY rules, word
)
SELECT
    rules,
    split,
    word,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    (risk - lost) / (risk + gain) AS reference,
    rate(x, n) - reference AS overfold,
    wilson_low(x, n) - reference AS overfold_low,
    wilson_high(x, n) - reference AS overfold_high
FROM faced
JOIN worths USING (rules, word)
ORDER BY ALL
