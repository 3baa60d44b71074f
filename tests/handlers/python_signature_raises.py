"""Claims rightly, and raises on a signature that does not match."""

from sume_handler import in_order, is_signed, serve
from sume_store import Store

store = Store()


def verify(delivery):
    if not is_signed(delivery):
        # Fault: a stranger's delivery looks like an accident of ours, and is answered 500.
        raise ValueError("the signature does not match")
    return True


def deliver(delivery):
    if not store.claim(delivery.job_id):
        return 200
    return store.attempt(delivery)


serve(in_order(deliver, verify), store.count)
