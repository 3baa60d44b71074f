-- What `prisma migrate` would make of either schema, written so that SQLite and PostgreSQL both take it.
CREATE TABLE IF NOT EXISTS sume_jobs (
  job_id TEXT NOT NULL PRIMARY KEY,
  payload TEXT NOT NULL,
  received_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
)
