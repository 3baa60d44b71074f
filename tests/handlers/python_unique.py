"""Lets the database refuse: the effect's own row is unique, and the violation is caught and taken for done. No fault."""

import sqlite3

from sume_handler import in_order, serve
from sume_store import Store

store = Store("create unique index if not exists one_effect on effects (job_id)")


def deliver(delivery):
    try:
        store.work(delivery)
    except sqlite3.IntegrityError:
        pass
    return 200


serve(in_order(deliver), store.count)
