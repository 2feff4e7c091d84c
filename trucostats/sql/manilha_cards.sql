-- name: manilha_cards
-- title: Each manilha
-- question: How often is a player dealt each of the manilhas, and how often does he win with it?
-- grain: P: one row per rule set and manilha; dealt cards known; all players together
-- needs:
--   hands: hand_id status score0_after turned format
--   seats: hand_id rules cards won
-- columns:
--   rules
--   place: 1 for the strongest
--   manilha: the card, or what it is where a card is turned
--   dealt: hands with it
--   share: their share of all hands with known cards
--   reference: the share that is to be expected
--   x: hands with it that his side won
--   n: hands with it that a side won
--   rate
--   low
--   high
--   selection
-- params: none
-- hidden: all-known: shown-only where some hands were never shown; duels of pica-pica are left out
-- reference: 3 / 40, or 3 / 39 where a card is turned; three cards dealt
-- catalogue: 65
-- rules: manilhas

WITH dealt AS (
    SELECT seats.rules, hands.turned, string_split(seats.cards, ' ') AS cards, top.cards AS tops, top.names AS names, won
    FROM seats
    JOIN hands USING (hand_id)
    JOIN manilhas AS top ON top.rules = seats.rules AND top.turned = coalesce(hands.turned, '')
    ANTI JOIN uncounted USING (hand_id)
    ANTI JOIN pica_pica USING (hand_id)
    WHERE wanted(player)
),
totals AS (
    SELECT rules, count(cards) AS hands, tally(cards IS NULL) AS unknown, any_value(turned) IS NOT NULL AS turns FROM dealt GROUP BY rules
),
held AS (
    SELECT rules, cards, won, unnest(tops) AS card, unnest(names) AS manilha, generate_subscripts(tops, 1) AS place FROM dealt
),
counts AS (
    SELECT
        rules, place, manilha,
        tally(list_contains(cards, card)) AS dealt,
        tally(list_contains(cards, card) AND won) AS x,
        tally(list_contains(cards, card) AND won IS NOT NULL) AS n
    FROM held
    GROUP BY ALL
)
SELECT
    rules,
    place,
    manilha,
    dealt,
    CASE WHEN hands > 0 THEN dealt / hands END AS share,
    if(turns, 3 / 39, 3 / 40) AS reference,
    x,
    n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high,
    selection(unknown) AS selection
FROM counts
JOIN totals USING (rules)
ORDER BY rules, place
