-- What players did in turn with nothing to answer, one row for each event: $about is truco, envido or card. With truco and envido only
-- those who could call $word, with card only cards played. A card is the highest, the lowest or a middle one of those held.
SELECT
    h.match,
    s.player,
    $levels[list_position($order, e.card)] AS mine,
    list_filter(string_split(s.cards, ' '), lambda card: card <> e.card AND card <> coalesce(s.first_card, '?')) AS others,
    if(len(others) = 1, $levels[list_position($order, others[1])], NULL) AS kept,
    CASE
        WHEN $about = 'card' THEN
            CASE
                WHEN e.word = 'cover' THEN 'covered'
                WHEN e.cards_left = 3 THEN CASE s.first_card_rank WHEN 1 THEN 'highest' WHEN 2 THEN 'middle' WHEN 3 THEN 'lowest' ELSE 'not known' END
                WHEN e.cards_left = 2 THEN coalesce(if(mine >= kept, 'highest', 'lowest'), 'not known')
                ELSE 'last'
            END
        WHEN e.word = $word OR ($about = 'envido' AND e.word IN ('envido', 'real-envido', 'falta-envido')) THEN 'call'
        ELSE 'other'
    END AS did,
    e.position = $order_from_mano AS position_fits,
    CASE e.trick
        WHEN 1 THEN ''
        WHEN 2 THEN if(h.trick1 = 2, 't', if(h.trick1 = s.team, 'w', 'l'))
        ELSE if(h.trick1 = 2, 't', if(h.trick1 = s.team, 'w', 'l')) || if(h.trick2 = 2, 't', if(h.trick2 = s.team, 'w', 'l'))
    END = $tricks AS tricks_fit,
    e.cards_left = $cards_left AS cards_fit,
    e.level = $step AS step_fits,
    s.strength IS NOT NULL AS known,
    abs(least(floor(s.strength::DOUBLE * 10), 9) - $tenth) AS strength_distance,
    abs(s.envido - $envido) AS envido_distance,
    if($about = 'envido', s.envido_own - s.envido_rival, s.truco_own - s.truco_rival) AS net,
    if(did <> 'call' OR c.answer IN ('quiero', 'played'), if($about = 'envido', c.won, s.won), NULL) AS won,
    if(did = 'call' AND c.answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise'), c.answer IN ('no-quiero', 'mazo'), NULL) AS folded
FROM events AS e
JOIN hands AS h USING (hand_id)
JOIN seats AS s ON s.hand_id = e.hand_id AND s.seat = e.seat
LEFT JOIN calls AS c ON c.hand_id = e.hand_id AND c.event = e.event
ANTI JOIN uncounted ON uncounted.hand_id = e.hand_id
ANTI JOIN pica_pica ON pica_pica.hand_id = e.hand_id
WHERE e.pending IS NULL AND e.seat = e.turn AND can(e.legal, 'play') AND h.base_rules = $rules AND h.seats = $seats
    AND e.word NOT IN ('declare', 'son-buenas', 'show', 'quiero', 'no-quiero', 'accept-hand', 'decline-hand', 'ask-count')
    -- Who calls another family still has this chance, and is counted when he takes it or lets it go.
    AND NOT ($about = 'truco' AND e.word IN ('envido', 'real-envido', 'falta-envido', 'flor', 'contraflor', 'contraflor-al-resto'))
    AND if($about = 'card', e.word IN ('play', 'cover'), can(e.legal, $word))
    AND h.match IS DISTINCT FROM $without_match AND wanted(s.player)
