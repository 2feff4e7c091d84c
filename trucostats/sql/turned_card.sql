-- name: turned_card
-- title: The turned card
-- question: What does the rank of the turned card (vira, muestra) do to a hand: its calls, its worth, and who wins it?
-- grain: H: one row per rule set and rank
-- needs:
--   hands: hand_id rules status format turned trick1 mano_won called_level level stake score0_after
-- columns:
--   rules
--   turned: rank of the turned card
--   hands: hands with it
--   share: their share of the hands
--   called: share of them in which a truco was called
--   accepted: share of them in which one was accepted
--   tied: share of them with a tied first trick, of those with a first trick
--   mean: stake in points
--   sd
--   se
--   x: hands that the mano's side won
--   n: hands that a side won
--   rate
--   low
--   high
-- params: none
-- hidden: none: duels of pica-pica are left out
-- reference: none
-- catalogue: 56
-- rules: turned card

WITH ranks AS (
    SELECT
        rules,
        regexp_extract(turned, '^[0-9]+')::INTEGER AS turned,
        count(*) AS hands,
        avg((called_level > 0)::INTEGER) AS called,
        avg((level > 0)::INTEGER) AS accepted,
        avg((trick1 = 2)::INTEGER) AS tied,
        avg(stake) AS mean,
        stddev_samp(stake) AS sd,
        standard_error(stake) AS se,
        tally(mano_won) AS x,
        count(mano_won) AS n
    FROM hands
    ANTI JOIN pica_pica USING (hand_id)
    WHERE turned IS NOT NULL AND status = 'complete' AND score0_after IS NOT NULL
    GROUP BY ALL
)
SELECT
    rules,
    turned,
    hands,
    hands / sum(hands) OVER (PARTITION BY rules) AS share,
    called,
    accepted,
    tied,
    mean,
    sd,
    se,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM ranks
ORDER BY ALL
