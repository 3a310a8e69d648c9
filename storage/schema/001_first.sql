-- SPDX-License-Identifier: Apache-2.0
--
-- The first form of the latchd store. Times are Unix milliseconds, UTC (datetime(t / 1000,
-- 'unixepoch') shows one); durations are milliseconds. family: 0 waits, 1 latches, 2 spinlocks.
-- Look, but do not write: latchd keeps names and counters in memory.

-- The monitored instances by their names in the configuration. An id is never given twice.
CREATE TABLE target (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- Names of waits, latches and spinlocks; frames hold the ids.
CREATE TABLE name (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    family INTEGER NOT NULL,
    name   TEXT NOT NULL,
    UNIQUE (family, name)
) STRICT;

-- Number of the last committed batch: grows by one with each.
CREATE TABLE last_commit (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    commit_id INTEGER NOT NULL
) STRICT;
INSERT INTO last_commit (id, commit_id) VALUES (1, 0);

-- What happened in one view of a target between two polls: one row per interval. body packs the
-- rows that changed (storage/frame.h describes it).
CREATE TABLE frame (
    target_id   INTEGER NOT NULL,
    family      INTEGER NOT NULL,
    resolution  INTEGER NOT NULL, -- 0: as polled
    t           INTEGER NOT NULL, -- end of the interval; a millisecond later where it was taken
    commit_id   INTEGER NOT NULL,
    interval_ms INTEGER NOT NULL, -- covered time: [t - interval_ms, t]; 0: nothing is covered
    elapsed_ms  INTEGER NOT NULL, -- since the poll before, covered or not
    quality     INTEGER NOT NULL, -- 0 baseline, 1 exact, 2 after_gap, 3 after_restart,
                                  -- 4 after_failover, 5 after_clear
    flags       INTEGER NOT NULL, -- 1 jitter, 2 anomaly, 4 late, 8 clamped, 256 has no rate
    body        BLOB NOT NULL,
    PRIMARY KEY (target_id, family, resolution, t)
) STRICT, WITHOUT ROWID;

-- The sample that the next delta is taken against; body packs its rows (storage/baseline_frame.h).
CREATE TABLE baseline (
    target_id     INTEGER NOT NULL,
    family        INTEGER NOT NULL,
    server_name   TEXT NOT NULL,
    node_name     TEXT NOT NULL,
    process_id    INTEGER NOT NULL, -- 0 unknown
    start_ticks   INTEGER NOT NULL, -- -1 unknown
    ms_ticks      INTEGER NOT NULL, -- -1 unknown
    taken_mono_ms INTEGER NOT NULL,
    taken_utc_ms  INTEGER NOT NULL,
    body          BLOB NOT NULL,
    PRIMARY KEY (target_id, family)
) STRICT, WITHOUT ROWID;

-- The waiting tasks of one instant, kept when the detector has use for them (storage/task_frame.h).
CREATE TABLE task_frame (
    target_id              INTEGER NOT NULL,
    t                      INTEGER NOT NULL,
    commit_id              INTEGER NOT NULL,
    taken_mono_ms          INTEGER NOT NULL,
    scheduler_count        INTEGER NOT NULL,
    task_count             INTEGER NOT NULL,
    invalid_resource_count INTEGER NOT NULL,
    is_truncated           INTEGER NOT NULL,
    body                   BLOB NOT NULL,
    PRIMARY KEY (target_id, t)
) STRICT, WITHOUT ROWID;

-- Clears, restarts, gaps, failovers, lost connections ... target_id 0 is latchd itself.
CREATE TABLE event (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    target_id    INTEGER NOT NULL,
    begin_utc_ms INTEGER NOT NULL,
    end_utc_ms   INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    family       INTEGER, -- NULL: of no single view
    text         TEXT NOT NULL,
    details      TEXT NOT NULL -- a JSON object
) STRICT;
CREATE INDEX event_by_end ON event (target_id, end_utc_ms);

-- Who owns a page: the answer of sys.dm_db_page_info and the catalogue, or why there was none.
CREATE TABLE page_owner (
    target_id        INTEGER NOT NULL,
    database_id      INTEGER NOT NULL,
    file_id          INTEGER NOT NULL,
    page_id          INTEGER NOT NULL,
    state            INTEGER NOT NULL, -- 0 named, 1 no right, 2 no such view, 3 not found, 4 failed
    error            TEXT NOT NULL,
    database         TEXT NOT NULL,
    object           TEXT NOT NULL,
    object_id        INTEGER NOT NULL,
    index_name       TEXT NOT NULL,
    index_id         INTEGER NOT NULL,
    partition_id     INTEGER NOT NULL,
    page_type        INTEGER NOT NULL,
    level            INTEGER NOT NULL, -- 0 leaf, -1 unknown
    next_file_id     INTEGER NOT NULL,
    next_page_id     INTEGER NOT NULL, -- 0 last of its level, -1 unknown
    previous_file_id INTEGER NOT NULL,
    previous_page_id INTEGER NOT NULL,
    is_mixed_extent  INTEGER NOT NULL,
    is_system_object INTEGER NOT NULL,
    leading_column   TEXT NOT NULL,
    is_ascending     INTEGER NOT NULL, -- 1 yes, 0 no, -1 unknown; so the next two
    is_descending    INTEGER NOT NULL,
    optimize_for_sequential_key INTEGER NOT NULL,
    looked_up_utc_ms INTEGER NOT NULL,
    PRIMARY KEY (target_id, database_id, file_id, page_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_owner_by_time ON page_owner (target_id, looked_up_utc_ms);

-- Hot pages, grouped by index. An id is kept over restarts and late naming.
CREATE TABLE hotspot (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    target_id         INTEGER NOT NULL,
    kind              TEXT NOT NULL,
    is_active         INTEGER NOT NULL,
    is_confirmed      INTEGER NOT NULL,
    first_seen_utc_ms INTEGER NOT NULL,
    last_seen_utc_ms  INTEGER NOT NULL,
    database_id       INTEGER NOT NULL,
    object_id         INTEGER NOT NULL, -- 0 not named yet
    index_id          INTEGER NOT NULL,
    database          TEXT NOT NULL,
    object            TEXT NOT NULL,
    index_name        TEXT NOT NULL,
    file_id           INTEGER NOT NULL,
    page_id           INTEGER NOT NULL,
    page_class        INTEGER NOT NULL,
    pages_seen        INTEGER NOT NULL,
    wait_type         TEXT NOT NULL,
    waiters_avg       REAL NOT NULL,
    waiters_max       INTEGER NOT NULL,
    flow_waiters_avg  REAL NOT NULL,
    flow_waiters_max  INTEGER NOT NULL,
    ms_per_sec        REAL NOT NULL,
    scheduler_count   INTEGER NOT NULL,
    inserters         REAL NOT NULL, -- -1 unknown
    optimize_for_sequential_key INTEGER NOT NULL,
    leading_column    TEXT NOT NULL,
    statements        TEXT NOT NULL, -- JSON: [{"query_hash","share"}]
    evidence          TEXT NOT NULL, -- JSON: [{"kind","text","value"}]
    finding_rule      TEXT NOT NULL,
    finding_summary   TEXT NOT NULL,
    finding_expect    TEXT NOT NULL,
    finding_statement TEXT NOT NULL
) STRICT;
CREATE INDEX hotspot_by_last_seen ON hotspot (target_id, last_seen_utc_ms);
CREATE INDEX hotspot_by_first_seen ON hotspot (target_id, first_seen_utc_ms);

-- The state of each alert rule on each target (0: latchd itself).
CREATE TABLE alert (
    rule               TEXT NOT NULL,
    target_id          INTEGER NOT NULL,
    state              TEXT NOT NULL,
    severity           TEXT NOT NULL,
    labels             TEXT NOT NULL, -- a JSON object
    since_utc_ms       INTEGER NOT NULL,
    fired_utc_ms       INTEGER NOT NULL,
    resolved_utc_ms    INTEGER NOT NULL,
    clear_since_utc_ms INTEGER NOT NULL,
    evaluated_commit   INTEGER NOT NULL,
    value              REAL, -- NULL unknown
    threshold          REAL NOT NULL,
    unit               TEXT NOT NULL,
    evidence           TEXT NOT NULL, -- a JSON object
    PRIMARY KEY (rule, target_id)
) STRICT, WITHOUT ROWID;

-- Messages that no notifier has delivered yet.
CREATE TABLE outbox (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    notifier       TEXT NOT NULL,
    created_utc_ms INTEGER NOT NULL,
    due_utc_ms     INTEGER NOT NULL,
    attempt_count  INTEGER NOT NULL,
    body           TEXT NOT NULL -- as it is sent
) STRICT;
CREATE INDEX outbox_by_due ON outbox (notifier, due_utc_ms);

-- For the reader: the heads of the frames in words.
CREATE VIEW frame_head AS
SELECT target.name AS target,
       CASE frame.family WHEN 0 THEN 'waits' WHEN 1 THEN 'latches' ELSE 'spinlocks' END AS family,
       datetime(frame.t / 1000, 'unixepoch') AS ended_utc,
       frame.interval_ms,
       CASE frame.quality WHEN 0 THEN 'baseline' WHEN 1 THEN 'exact' WHEN 2 THEN 'after_gap'
            WHEN 3 THEN 'after_restart' WHEN 4 THEN 'after_failover' ELSE 'after_clear' END AS quality,
       length(frame.body) AS bytes
FROM frame JOIN target ON target.id = frame.target_id;
