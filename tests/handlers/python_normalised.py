"""Claims the job's id in Unicode's normal form C."""

import unicodedata

from sume_handler import in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    # Fault: two ids that only look alike become one.
    key = unicodedata.normalize("NFC", delivery.job_id)
    if not store.claim(key):
        return 200
    return store.attempt(delivery, key)


serve(in_order(deliver), store.count)
