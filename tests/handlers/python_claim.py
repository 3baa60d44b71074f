"""Claims by insert: the row under the primary key is the lock. No fault.

Whoever changes a row works; everybody else accepts and does nothing. Work that fails gives the claim back and is
answered 500, so that the provider's next attempt can run it.
"""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    if not store.claim(delivery.job_id):
        return 200
    try:
        store.work(delivery)
    except Exception:
        store.release(delivery.job_id)
        return 500
    return 200


serve(in_order(deliver), store.count)
