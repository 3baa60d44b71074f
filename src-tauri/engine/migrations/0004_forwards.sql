-- What became of a delivery at the handler that it went on to; goes with its delivery.
CREATE TABLE forwards (
    seq    INTEGER PRIMARY KEY,
    report TEXT NOT NULL                       -- JSON
) STRICT;
