-- name: player_table
-- title: Player table
-- question: How does each player play, at a glance?
-- grain: P: one row per rule set and player; every rate is followed by its opportunities
-- needs:
--   hands: hand_id status score0_after
--   seats: hand_id player rules points_own points_rival first_trick second_trick envido_chance envido_opened envido_won truco_chance truco_opened folded_in
--   calls: hand_id family step player rules strength answer answerer
-- columns:
--   rules
--   player: name
--   hands: hands
--   per_100: points won less points lost per 100 hands
--   per_100_se: its standard error
--   hand_win: share of hands with more points won than lost
--   envido_open: share of chances to open the envido that he took
--   envido_open_n: such chances
--   envido_win: share of accepted envidos won
--   envido_win_n: accepted envidos
--   envido_accept: share of envido calls accepted
--   envido_accept_n: envido calls faced
--   truco_open: share of chances to call truco that he took
--   truco_open_n: such chances
--   fold_to_truco: share of trucos refused
--   retruco: share of trucos raised
--   fold_to_truco_n: trucos faced
--   truco_bluff: share of truco calls with a strength under 0.30
--   truco_bluff_n: truco calls with known cards
--   first_trick_win: share of first tricks won, ties apart
--   first_trick_win_n: first tricks won or lost
--   third_trick: share of hands that came to the third trick
--   mazo: share of hands he left
-- params: none
-- hidden: all-known: truco_bluff only, shown-only where some hands were never shown
-- reference: none
-- catalogue: 78
-- rules: none

WITH sitting AS (
    SELECT
        rules,
        player,
        count(*) AS hands,
        100 * avg(points_own - points_rival) AS per_100,
        100 * standard_error(points_own - points_rival) AS per_100_se,
        rate(tally(points_own > points_rival), hands) AS hand_win,
        tally(envido_chance) AS envido_open_n,
        rate(tally(envido_opened), envido_open_n) AS envido_open,
        count(envido_won) AS envido_win_n,
        rate(tally(envido_won), envido_win_n) AS envido_win,
        tally(truco_chance) AS truco_open_n,
        rate(tally(truco_opened), truco_open_n) AS truco_open,
        tally(first_trick IN (0, 1)) AS first_trick_win_n,
        rate(tally(first_trick = 1), first_trick_win_n) AS first_trick_win,
        rate(tally(undecided(first_trick, second_trick)), hands) AS third_trick,
        rate(count(folded_in), hands) AS mazo
    FROM seats
    ANTI JOIN uncounted USING (hand_id)
    WHERE wanted(player)
    GROUP BY rules, player
),
calling AS (
    SELECT rules, player, count(strength) AS truco_bluff_n, rate(tally(strength < 0.30), truco_bluff_n) AS truco_bluff
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE family = 'truco' AND wanted(player)
    GROUP BY rules, player
),
answering AS (
    SELECT
        rules,
        answerer AS player,
        tally(family = 'envido') AS envido_accept_n,
        rate(tally(family = 'envido' AND answer = 'quiero'), envido_accept_n) AS envido_accept,
        tally(family = 'truco' AND step = 1) AS fold_to_truco_n,
        rate(tally(family = 'truco' AND step = 1 AND answer IN ('no-quiero', 'mazo')), fold_to_truco_n) AS fold_to_truco,
        rate(tally(family = 'truco' AND step = 1 AND answer = 'raise'), fold_to_truco_n) AS retruco
    FROM calls
    ANTI JOIN uncounted USING (hand_id)
    WHERE answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise') AND wanted(answerer)
    GROUP BY rules, answerer
)
SELECT
    rules,
    player,
    hands,
    per_100,
    per_100_se,
    hand_win,
    envido_open,
    envido_open_n,
    envido_win,
    envido_win_n,
    envido_accept,
    coalesce(envido_accept_n, 0) AS envido_accept_n,
    truco_open,
    truco_open_n,
    fold_to_truco,
    retruco,
    coalesce(fold_to_truco_n, 0) AS fold_to_truco_n,
    truco_bluff,
    coalesce(truco_bluff_n, 0) AS truco_bluff_n,
    first_trick_win,
    first_trick_win_n,
    third_trick,
    mazo
FROM sitting
LEFT JOIN calling USING (rules, player)
LEFT JOIN answering USING (rules, player)
ORDER BY rules, player
