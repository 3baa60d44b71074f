"""Accepts into a durable queue and works later, with retries of its own. No fault.

The row is committed before the answer. Work that fails is tried again, and rows that a crash left are taken up at the
start. The effect and the end of its row are one transaction, so that two instances that took up one row run it once.
"""

import json
import queue
import threading

from sume_handler import Delivery, download, in_order, serve
from sume_store import Store

WORKERS = 16
FIRST_RETRY_S, LAST_RETRY_S = 0.1, 5

store = Store(
    "create table if not exists jobs (job_id text primary key, event text not null, done integer not null default 0)"
)
waiting = queue.SimpleQueue()


def deliver(delivery):
    row = (delivery.job_id, json.dumps(delivery.event))
    if store.change("insert or ignore into jobs (job_id, event) values (?, ?)", *row) == 1:
        waiting.put((*row, FIRST_RETRY_S))
    return 200


def finish(job_id):
    with store.transaction():
        if store.change("update jobs set done = 1 where job_id = ? and done = 0", job_id) == 1:
            store.run(job_id)


def work():
    while True:
        job_id, event, pause = waiting.get()
        delivery = Delivery({}, event)
        delivery.parse()
        try:
            download(delivery)
            finish(job_id)
        except Exception:
            again = (job_id, event, min(2 * pause, LAST_RETRY_S))
            threading.Timer(pause, waiting.put, [again]).start()


for left in store.rows("select job_id, event from jobs where done = 0"):
    waiting.put((*left, FIRST_RETRY_S))
for _ in range(WORKERS):
    threading.Thread(target=work, daemon=True).start()
serve(in_order(deliver), store.count)
