"""Claims, and keeps the claim when the work fails."""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    if store.claim(delivery.job_id):
        # Fault: what this raises is answered 500, and the retry finds the job claimed.
        store.work(delivery)
    return 200


serve(in_order(deliver), store.count)
