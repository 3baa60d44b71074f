"""Claims the signature instead of the job."""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    # Fault: every attempt is signed anew, so a retry looks like another event.
    key = delivery.headers["X-Sume-Signature"]
    if not store.claim(key):
        return 200
    return store.attempt(delivery, key)


serve(in_order(deliver), store.count)
