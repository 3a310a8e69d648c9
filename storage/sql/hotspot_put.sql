-- SPDX-License-Identifier: Apache-2.0
-- Writes a hotspot: a new one without id, else over the one it was.
INSERT INTO hotspot (
    id, target_id, kind, is_active, is_confirmed, first_seen_utc_ms, last_seen_utc_ms,
    database_id, object_id, index_id, database, object, index_name, file_id, page_id,
    page_class, pages_seen, wait_type, waiters_avg, waiters_max, flow_waiters_avg,
    flow_waiters_max, ms_per_sec, scheduler_count, inserters, optimize_for_sequential_key,
    leading_column, statements, evidence, finding_rule, finding_summary, finding_expect,
    finding_statement
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
        ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33)
ON CONFLICT (id) DO UPDATE SET
    kind = excluded.kind,
    is_active = excluded.is_active,
    is_confirmed = excluded.is_confirmed,
    first_seen_utc_ms = excluded.first_seen_utc_ms,
    last_seen_utc_ms = excluded.last_seen_utc_ms,
    database_id = excluded.database_id,
    object_id = excluded.object_id,
    index_id = excluded.index_id,
    database = excluded.database,
    object = excluded.object,
    index_name = excluded.index_name,
    file_id = excluded.file_id,
    page_id = excluded.page_id,
    page_class = excluded.page_class,
    pages_seen = excluded.pages_seen,
    wait_type = excluded.wait_type,
    waiters_avg = excluded.waiters_avg,
    waiters_max = excluded.waiters_max,
    flow_waiters_avg = excluded.flow_waiters_avg,
    flow_waiters_max = excluded.flow_waiters_max,
    ms_per_sec = excluded.ms_per_sec,
    scheduler_count = excluded.scheduler_count,
    inserters = excluded.inserters,
    optimize_for_sequential_key = excluded.optimize_for_sequential_key,
    leading_column = excluded.leading_column,
    statements = excluded.statements,
    evidence = excluded.evidence,
    finding_rule = excluded.finding_rule,
    finding_summary = excluded.finding_summary,
    finding_expect = excluded.finding_expect,
    finding_statement = excluded.finding_statement
