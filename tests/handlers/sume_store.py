"""What the Python sample handlers keep: one SQLite file with their effects and their claims."""

import os
import sqlite3
import threading
from contextlib import contextmanager

from sume_handler import download

# How long a statement waits for another process's transaction.
BUSY_S = 10


class Store:
    """The handler's connection. It serves one thread at a time; what decides is the database, not that.

    Several instances may stand on one file.
    """

    def __init__(self, *schema):
        path = os.environ["HOOK_STORE"]
        self._db = sqlite3.connect(
            path, check_same_thread=False, timeout=BUSY_S, isolation_level=None
        )
        self._turn = threading.RLock()
        self.change("create table if not exists effects (job_id text not null)")
        self.change("create index if not exists effects_by_job on effects (job_id)")
        for statement in schema or ["create table if not exists claims (job_id text primary key)"]:
            self.change(statement)

    def change(self, statement, *values):
        """Commits one statement and says how many rows it changed."""
        with self._turn:
            return self._db.execute(statement, values).rowcount

    def rows(self, statement, *values):
        """What a query gives."""
        with self._turn:
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self):
        """What is changed in it is changed together, or not at all."""
        with self._turn:
            # Immediate: one that reads first and is upgraded later may be refused instead of waiting.
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                self._db.execute("rollback")
                raise

    def claim(self, job_id):
        """Whether this call is the first that inserts the job."""
        return self.change("insert or ignore into claims values (?)", job_id) == 1

    def release(self, job_id):
        """Gives a claim back, so that the next attempt can have it."""
        self.change("delete from claims where job_id = ?", job_id)

    def run(self, job_id):
        """The effect."""
        self.change("insert into effects values (?)", job_id)

    def once(self, job_id):
        """The effect and its claim in one transaction; nothing where the claim is taken."""
        with self.transaction():
            if self.claim(job_id):
                self.run(job_id)

    def work(self, delivery):
        """The whole work: the download, then the effect."""
        download(delivery)
        self.run(delivery.job_id)

    def attempt(self, delivery, key=None):
        """The work under a claim: when it fails the claim goes back, and the next attempt can run it."""
        try:
            self.work(delivery)
        except Exception:
            self.release(key or delivery.job_id)
            return 500
        return 200

    def count(self, job_id):
        """How often the effect of a job ran."""
        return self.rows("select count(*) from effects where job_id = ?", job_id)[0][0]

    def is_done(self, job_id):
        """Whether it ran at all."""
        return self.count(job_id) > 0
