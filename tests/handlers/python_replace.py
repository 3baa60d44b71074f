"""Claims with INSERT OR REPLACE, and takes its changed row for a win."""

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    # Fault: a replaced row is a changed row, so everybody wins.
    if store.change("insert or replace into claims values (?)", delivery.job_id) == 0:
        return 200
    return store.attempt(delivery)


serve(in_order(deliver), store.count)
