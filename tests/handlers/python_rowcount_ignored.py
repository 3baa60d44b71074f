"""Claims by insert, and works whether or not a row was inserted."""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    # Fault: the statement succeeds for a duplicate as well; only its changed rows tell.
    store.claim(delivery.job_id)
    return store.attempt(delivery)


serve(in_order(deliver), store.count)
