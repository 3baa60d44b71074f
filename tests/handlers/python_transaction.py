"""Downloads first, then claims and runs the effect in one transaction. No fault.

Copies may download side by side; one of them commits. A crash at any moment leaves both rows or none.
"""

from sume_handler import download, in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    if not store.is_done(delivery.job_id):
        download(delivery)
        store.once(delivery.job_id)
    return 200


serve(in_order(deliver), store.count)
