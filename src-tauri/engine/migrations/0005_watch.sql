-- Jobs whose webhooks are waited for. Times are Unix microseconds.
CREATE TABLE watched (
    job_id      TEXT PRIMARY KEY,
    added_us    INTEGER NOT NULL,
    expected_us INTEGER NOT NULL,
    state       TEXT NOT NULL,
    word        TEXT,                          -- Sume's own, at the last look
    finished_us INTEGER,                       -- when it was first seen to be finished
    looks       INTEGER NOT NULL,              -- since it was added: they become rarer
    checked_us  INTEGER,
    next_us     INTEGER,                       -- the next look; NULL when none is needed
    delivery    INTEGER,
    problem     TEXT
) STRICT;
