-- name: envido_accept_by_value
-- title: Envido accepted by value
-- question: How often is an envido accepted or raised with each number?
-- grain: D: one row per rule set, word, own number and position; own dealt cards known
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family word rules answer answerer_is_mano answerer_envido answerer_strength
-- columns:
--   rules
--   word: the word faced
--   value: envido of the player who answers
--   position: mano, or not mano
--   x: accepted or raised
--   n: calls faced
--   rate
--   low
--   high
--   chance: exact chance that the number wins against any hand of one rival, null where the table does not hold
--   selection
-- params: none
-- hidden: all-known: shown-only where some hands were never shown; known hands that have no number are left out
-- reference: column chance; points take points: accepting needs 0.25 (envido), 0.333 (real envido)
-- catalogue: 25
-- rules: envido

WITH faced AS (
    SELECT
        rules,
        word,
        answerer_envido AS value,
        answerer_is_mano AS mano,
        tally(answer IN ('quiero', 'played', 'raise')) AS x,
        count(*) AS n
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'envido' AND answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise')
        AND (answerer_envido IS NOT NULL OR answerer_strength IS NULL) AND wanted(answerer)
    GROUP BY ALL
)
SELECT
    rules,
    word,
    value,
    if(mano, 'mano', 'not mano') AS position,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    CASE WHEN plain_envido(rules) THEN (rival_lower + if(mano, rival_equal, 0)) / deals END AS chance,
    selection(count(*) FILTER (WHERE value IS NULL) OVER (PARTITION BY rules)) AS selection
FROM faced
LEFT JOIN envido_exact USING (value)
QUALIFY value IS NOT NULL
ORDER BY ALL
