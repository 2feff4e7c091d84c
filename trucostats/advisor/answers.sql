-- Answers to one word, one row for each, from the answerer's side; $tricks are the tricks so far: w won, l lost, t tied.
-- A played card is a quiero, leaving the hand a no-quiero.
SELECT
    h.match,
    c.answerer AS player,
    CASE WHEN c.answer = 'raise' THEN 'raise' WHEN c.answer IN ('quiero', 'played') THEN 'quiero' ELSE 'no-quiero' END AS did,
    e.position = $order_from_mano AS position_fits,
    CASE e.trick
        WHEN 1 THEN ''
        WHEN 2 THEN if(h.trick1 = 2, 't', if(h.trick1 = c.answer_seat % 2, 'w', 'l'))
        ELSE if(h.trick1 = 2, 't', if(h.trick1 = c.answer_seat % 2, 'w', 'l')) || if(h.trick2 = 2, 't', if(h.trick2 = c.answer_seat % 2, 'w', 'l'))
    END = $tricks AS tricks_fit,
    e.cards_left = $cards_left AS cards_fit,
    c.step = $step AS step_fits,
    c.answerer_strength IS NOT NULL AS known,
    abs(least(floor(c.answerer_strength::DOUBLE * 10), 9) - $tenth) AS strength_distance,
    abs(c.answerer_envido - $envido) AS envido_distance,
    -c.net AS net,
    if(did = 'quiero', NOT c.won, NULL) AS won,
    if(r.answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise'), r.answer IN ('no-quiero', 'mazo'), NULL) AS folded
FROM calls AS c
JOIN hands AS h USING (hand_id)
JOIN events AS e ON e.hand_id = c.hand_id AND e.event = c.answer_event
LEFT JOIN calls AS r ON c.answer = 'raise' AND r.hand_id = c.hand_id AND r.event = c.answer_event
ANTI JOIN uncounted ON uncounted.hand_id = c.hand_id
ANTI JOIN pica_pica ON pica_pica.hand_id = c.hand_id
WHERE c.word = $word AND h.base_rules = $rules AND h.seats = $seats AND c.answer IN ('quiero', 'played', 'no-quiero', 'mazo', 'raise')
    AND h.match IS DISTINCT FROM $without_match AND wanted(c.answerer)
