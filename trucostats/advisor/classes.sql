ladder AS (SELECT unnest($ladder, recursive := true)),
-- `within` and `envido_within` are -1 where the class asks for no such thing.
fits AS (
    SELECT
        place,
        seen.*,
        (within < 0 OR coalesce(strength_distance <= within, false))
            AND (envido_within < 0 OR coalesce(envido_distance <= envido_within, false)) AS fit,
        (within >= 0 OR envido_within >= 0) AND NOT known AS unknown
    FROM seen
    JOIN ladder ON (position_fits OR NOT same_position) AND (tricks_fit OR NOT same_tricks) AND (cards_fit OR NOT same_cards_left)
        AND (step_fits OR NOT same_step)
),
acts AS (
    SELECT
        place,
        did,
        count(*) AS n,
        count(net) AS net_n,
        avg(net) AS mean,
        stddev_samp(net) AS sd,
        standard_error(net) AS se,
        tally(won) AS won_x,
        count(won) AS won_n,
        tally(folded) AS folded_x,
        count(folded) AS folded_n
    FROM fits
    WHERE fit
    GROUP BY ALL
),
people AS (SELECT place, player, count(*) AS decisions FROM fits WHERE fit GROUP BY ALL),
names AS (SELECT place, count(*) AS players, list({'name': player, 'n': decisions} ORDER BY decisions DESC, player)[:3] AS names FROM people GROUP BY ALL),
who AS (SELECT place, count(DISTINCT match) FILTER (WHERE fit) AS matches, tally(unknown) AS unknown FROM fits GROUP BY ALL)
SELECT *
FROM acts
JOIN who USING (place)
JOIN names USING (place)
ORDER BY place, did
