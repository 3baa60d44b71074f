"""Claims, and answers 200 even when the work failed."""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    if store.claim(delivery.job_id):
        try:
            store.work(delivery)
        except Exception:
            # Fault: the claim goes back, and yet nobody will send the job again.
            store.release(delivery.job_id)
    return 200


serve(in_order(deliver), store.count)
