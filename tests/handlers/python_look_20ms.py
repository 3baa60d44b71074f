"""Looks whether the job was done, takes 20 ms, and then inserts."""

import time

from sume_handler import download, in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    download(delivery)
    if store.is_done(delivery.job_id):
        return 200
    # Fault: nothing keeps another delivery of this job from looking meanwhile.
    time.sleep(0.02)
    store.run(delivery.job_id)
    return 200


serve(in_order(deliver), store.count)
