-- A delivery is written in up to three tables, each of which only grows at its end: what the list and the filter
-- read, the exact bytes, and the answer. So an insert touches few pages, and a scan reads no body.

CREATE TABLE deliveries (
    seq           INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL,            -- a UUID version 7, 16 bytes
    received_us   INTEGER NOT NULL,            -- microseconds after the epoch
    size          INTEGER NOT NULL,            -- bytes of body
    stored        INTEGER NOT NULL,            -- bytes of head, body and trailers, for retention
    pinned        INTEGER NOT NULL DEFAULT 0,
    claim         TEXT    NOT NULL,
    job_id        TEXT,
    job_id_type   TEXT    NOT NULL,
    signature     TEXT    NOT NULL,
    method        TEXT    NOT NULL,
    path          TEXT    NOT NULL,
    query         TEXT    NOT NULL,
    event         TEXT,
    naive_win     INTEGER NOT NULL,            -- won without a guard (the naive responder)
    claim_reason  TEXT,
    duplicate_of  INTEGER,
    body_differs  INTEGER NOT NULL,
    expected_size INTEGER,
    scheme        TEXT    NOT NULL,
    reason        TEXT,                        -- of the signature's state
    hints         TEXT,                        -- a JSON array, or NULL for none
    notes         TEXT                         -- a JSON array, or NULL for none
) STRICT;

-- The naive responder looks here before it works. Every other win is in `claims`, so this index is nearly empty.
CREATE INDEX naive_wins ON deliveries (job_id) WHERE naive_win;

CREATE TABLE contents (
    seq              INTEGER PRIMARY KEY,
    received_mono_us INTEGER NOT NULL,
    peer             TEXT    NOT NULL,
    body_sha256      BLOB    NOT NULL,
    head             BLOB    NOT NULL,
    trailers         BLOB    NOT NULL,
    body             BLOB    NOT NULL
) STRICT;

-- A delivery without a row here is being answered, or was when the program was killed.
CREATE TABLE answers (
    seq         INTEGER PRIMARY KEY,
    ended       TEXT    NOT NULL,
    status      INTEGER,
    duration_ms REAL,
    notes       TEXT,                          -- a JSON array, or NULL for none
    head        BLOB    NOT NULL,
    body        BLOB    NOT NULL
) STRICT;

-- The insert into this table is the lock. TEXT in a STRICT table compares byte for byte and is never turned into a
-- number; the JSON type is a part of the key.
CREATE TABLE claims (
    job_id         TEXT    NOT NULL,
    job_id_type    TEXT    NOT NULL,
    path           TEXT    NOT NULL,
    first_delivery INTEGER NOT NULL,
    claimed_us     INTEGER NOT NULL,
    deliveries     INTEGER NOT NULL,           -- verified ones, the winner among them
    body_sha256    BLOB    NOT NULL,           -- of the winner, which may be deleted before its duplicates come
    PRIMARY KEY (job_id, job_id_type, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    id         TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    report     TEXT NOT NULL,                  -- JSON, without the copies
    copies     TEXT NOT NULL                   -- JSON
) STRICT;

-- `last_seq`: the highest number that was ever given, kept when its delivery is deleted, so that none is given twice.
CREATE TABLE marks (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
