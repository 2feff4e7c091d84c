-- name: findings_summary
-- title: Findings
-- question: What is wrong with the records, and how often?
-- grain: E: one row per code; findings of every hand and every rejected line
-- needs:
--   findings: file hand_id family severity code
-- columns:
--   family: malformed, illegal or inconsistent
--   severity: error or warning
--   code: stable code
--   n: findings
--   hands: accepted hands with such a finding
--   logs: logs with such a finding
-- params: none
-- hidden: none
-- reference: none
-- catalogue: none
-- rules: none

SELECT
    family,
    severity,
    code,
    count(*) AS n,
    count(DISTINCT hand_id) AS hands,
    count(DISTINCT file) AS logs
FROM findings
GROUP BY ALL
ORDER BY ALL
