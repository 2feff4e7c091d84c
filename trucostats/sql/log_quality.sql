-- name: log_quality
-- title: Lines of the logs
-- question: How many lines of each log were rejected?
-- grain: E: one row per log, all its ingests together
-- needs:
--   files: file lines accepted rejected duplicates
-- columns:
--   file: log
--   lines: lines read
--   accepted: hands added
--   duplicates: hands that were already there
--   x: lines rejected
--   n: lines read
--   rate
--   low
--   high
-- params: none
-- hidden: none
-- reference: none
-- catalogue: none
-- rules: none

SELECT
    file,
    sum(files.lines) AS lines,
    sum(files.accepted) AS accepted,
    sum(files.duplicates) AS duplicates,
    sum(files.rejected) AS x,
    sum(files.lines) AS n,
    rate(x, n) AS rate,
    wilson_low(x, n) AS low,
    wilson_high(x, n) AS high
FROM files
GROUP BY file
ORDER BY file
