CREATE TABLE checks (
    id         TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    summary    TEXT NOT NULL,                  -- JSON, without the time lines: what a list shows
    report     TEXT NOT NULL                   -- JSON, whole
) STRICT;
