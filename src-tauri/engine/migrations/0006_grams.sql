-- Which runs of one, two and three bytes occur in which blocks of 64 deliveries, 4,096 deliveries a segment; see
-- store/grams.rs. It only spares reading: what has no row here is read, so it may lag and may be emptied.
CREATE TABLE grams (
    id   INTEGER PRIMARY KEY,                  -- segment * 256 + part
    bits BLOB NOT NULL                         -- 64 bits, one a block, for each slot of the part
) STRICT;
