"""Claims durably, answers, and works later from memory, with retries."""

import queue
import threading

from sume_handler import in_order, serve
from sume_store import Store

WORKERS = 16
RETRY_S = 0.2

store = Store()
waiting = queue.SimpleQueue()


def deliver(delivery):
    if store.claim(delivery.job_id):
        # Fault: the claim outlives the process and the work does not.
        waiting.put(delivery)
    return 200


def work():
    while True:
        delivery = waiting.get()
        try:
            store.work(delivery)
        except Exception:
            threading.Timer(RETRY_S, waiting.put, [delivery]).start()


for _ in range(WORKERS):
    threading.Thread(target=work, daemon=True).start()
serve(in_order(deliver), store.count)
