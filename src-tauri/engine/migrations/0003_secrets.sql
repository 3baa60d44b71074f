-- Which of the secrets matched: its name, never its bytes.
ALTER TABLE deliveries ADD COLUMN secret TEXT;
-- Seconds from the signed time to the receipt; below zero is ahead.
ALTER TABLE deliveries ADD COLUMN age_s REAL;
