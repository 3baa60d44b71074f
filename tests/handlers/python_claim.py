"""Claims by insert: the row under the primary key is the lock. No fault.

Whoever changes a row works; everybody else accepts and does nothing. Work that fails gives the claim back and is
answered 500, so that the provider's next attempt can run it.
"""

import sqlite3
import threading

from sume_handler import serve, store

db = sqlite3.connect(store(), check_same_thread=False)
db.execute("create table if not exists claims (job_id text primary key)")
db.execute("create table if not exists effects (job_id text not null)")
db.execute("create index if not exists effects_by_job on effects (job_id)")
db.commit()
# The connection serves one thread at a time; what decides is the primary key, not this.
turn = threading.Lock()


def change(statement, job_id):
    """Commits one statement and says how many rows it changed."""
    with turn, db:
        return db.execute(statement, (job_id,)).rowcount


def work(job_id):
    change("insert into effects values (?)", job_id)


def deliver(job_id, _event):
    if change("insert or ignore into claims values (?)", job_id) == 0:
        return 200
    try:
        work(job_id)
    except Exception:
        change("delete from claims where job_id = ?", job_id)
        return 500
    return 200


def count(job_id):
    with turn:
        return db.execute("select count(*) from effects where job_id = ?", (job_id,)).fetchone()[0]


serve(deliver, count)
