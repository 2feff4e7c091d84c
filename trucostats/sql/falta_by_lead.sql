-- name: falta_by_lead
-- title: Falta envido by the lead
-- question: How many of a player's envido calls are a falta when he is ahead or behind?
-- grain: E: one row per rule set, split and lead
-- needs:
--   hands: hand_id status score0_after
--   calls: hand_id family word player rules score_own score_rival
-- columns:
--   rules
--   split
--   lead: ahead 10+, ahead 4-9, close, behind 4-9 or behind 10+
--   x: falta envidos
--   n: calls of the envido family
--   rate
--   low
--   high
-- params:
--   by=player|all: split by player, or not at all
-- hidden: none
-- reference: none
-- catalogue: 74
-- rules: envido

SELECT
    rules,
    if($by = 'player', player, 'all') AS split,
    lead_of(score_own, score_rival) AS lead,
    tally(word = 'falta-envido') AS x,
    count(*) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM calls
ANTI JOIN uncounted USING (hand_id)
WHERE family = 'envido' AND wanted(player)
GROUP BY ALL
ORDER BY ALL
