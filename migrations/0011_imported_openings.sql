-- Since when imported sessions tell of a quiz: the oldest opening among those that history was brought in for.
CREATE TABLE imported_openings (
  store_id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  opened_at timestamptz NOT NULL,
  PRIMARY KEY (store_id, quiz_id)
);

-- What programs took for imported until now.
INSERT INTO imported_openings (store_id, quiz_id, opened_at)
SELECT s.store_id, s.quiz_id, min(s.opened_at)
FROM sessions s
LEFT JOIN (
  SELECT h.store_id, h.quiz_id, min(h.at) AS at FROM quiz_history h WHERE h.action = 'published' GROUP BY h.store_id, h.quiz_id
) p ON p.store_id = s.store_id AND p.quiz_id = s.quiz_id
WHERE NOT s.preview
GROUP BY s.store_id, s.quiz_id, p.at
HAVING p.at IS NULL OR min(s.opened_at) < p.at - interval '1 hour';
