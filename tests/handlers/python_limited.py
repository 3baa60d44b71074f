"""Works on four jobs at a time and answers everybody else 503. No fault.

Only work takes a place: a job that is done is answered at once. The claim and the effect are one transaction.
"""

import threading

from sume_handler import download, in_order, serve
from sume_store import Store

store = Store()
places = threading.Semaphore(4)


def deliver(delivery):
    if store.is_done(delivery.job_id):
        return 200
    if not places.acquire(blocking=False):
        return 503
    try:
        download(delivery)
        store.once(delivery.job_id)
    finally:
        places.release()
    return 200


serve(in_order(deliver), store.count)
