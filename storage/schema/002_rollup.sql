-- SPDX-License-Identifier: Apache-2.0
--
-- Roll-ups: frames of a minute and of an hour beside those that were polled. In table frame they
-- have resolution 1 and 2; t is the end of the minute or hour, elapsed_ms its width, interval_ms
-- how much of it is covered. An interval that is wider than that is a frame of its own, as wide as
-- it was. flags holds the qualities seen, as bit 16 + quality; quality is the gravest of them.

-- Up to where a view's frames are rolled up. What has no row here was never looked at.
CREATE TABLE rollup_mark (
    target_id  INTEGER NOT NULL,
    family     INTEGER NOT NULL,
    resolution INTEGER NOT NULL, -- 1: a minute, 2: an hour
    t          INTEGER NOT NULL, -- an edge of that resolution
    PRIMARY KEY (target_id, family, resolution)
) STRICT, WITHOUT ROWID;

DROP VIEW frame_head;
-- For the reader: the heads of the frames in words.
CREATE VIEW frame_head AS
SELECT target.name AS target,
       CASE frame.family WHEN 0 THEN 'waits' WHEN 1 THEN 'latches' ELSE 'spinlocks' END AS family,
       CASE frame.resolution WHEN 0 THEN 'raw' WHEN 1 THEN '1m' ELSE '1h' END AS resolution,
       datetime(frame.t / 1000, 'unixepoch') AS ended_utc,
       frame.interval_ms,
       CASE frame.quality WHEN 0 THEN 'baseline' WHEN 1 THEN 'exact' WHEN 2 THEN 'after_gap'
            WHEN 3 THEN 'after_restart' WHEN 4 THEN 'after_failover' ELSE 'after_clear' END AS quality,
       length(frame.body) AS bytes
FROM frame JOIN target ON target.id = frame.target_id;
