-- name: manilhas_held
-- title: Manilhas held
-- question: How many manilhas is a player dealt, and how often does he win with so many?
-- grain: P: one row per rule set, split and number of manilhas; dealt cards known
-- needs:
--   hands: hand_id status score0_after turned format
--   seats: hand_id player is_mano rules score_own score_rival cards won
-- columns:
--   rules
--   split
--   manilhas: cards dealt that rank alone above all others: manilhas, piezas, matas
--   dealt: hands with so many
--   share: their share of all hands with known cards
--   x: hands of these that his side won
--   n: hands of these that a side won
--   rate
--   low
--   high
--   selection
-- params:
--   by=player|all|mano|half|lead: split by player, not at all, by mano or not, by own half of the game, or by the lead in points
-- hidden: all-known: shown-only where some hands were never shown; duels of pica-pica are left out
-- reference: none
-- catalogue: 65
-- rules: manilhas

WITH held AS (
    SELECT
        seats.rules,
        split_of($by, player, is_mano, seats.rules, score_own, score_rival) AS split,
        len(list_intersect(string_split(seats.cards, ' '), top.cards)) AS manilhas,
        count(*) AS dealt,
        tally(won) AS x,
        count(won) AS n
    FROM seats
    JOIN hands USING (hand_id)
    JOIN manilhas AS top ON top.rules = seats.rules AND top.turned = coalesce(hands.turned, '')
    ANTI JOIN uncounted USING (hand_id)
    ANTI JOIN pica_pica USING (hand_id)
    WHERE wanted(player)
    GROUP BY ALL
)
SELECT
    rules,
    split,
    manilhas,
    dealt,
    dealt / sum(dealt) FILTER (WHERE manilhas IS NOT NULL) OVER (PARTITION BY rules, split) AS share,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(count(*) FILTER (WHERE manilhas IS NULL) OVER (PARTITION BY rules, split)) AS selection
FROM held
QUALIFY manilhas IS NOT NULL
ORDER BY ALL
