"""Claims with a plain INSERT, and lets the unique violation out."""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    # Fault: a duplicate ends here, in a 500 that the provider answers with more duplicates.
    store.change("insert into claims values (?)", delivery.job_id)
    return store.attempt(delivery)


serve(in_order(deliver), store.count)
