"""Claims rightly, and accepts a signature of any age."""

from sume_handler import in_order, is_ours, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    if not store.claim(delivery.job_id):
        return 200
    return store.attempt(delivery)


# Fault: whoever recorded a delivery can send it again for ever.
serve(in_order(deliver, verify=is_ours), store.count)
