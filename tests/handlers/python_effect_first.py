"""Claims, runs the effect, and does the part that may fail afterwards."""

from sume_handler import download, in_order, serve
from sume_store import Store

store = Store()


def deliver(delivery):
    if not store.claim(delivery.job_id):
        return 200
    try:
        # Fault: the effect is not taken back when the download fails, and the claim is.
        store.run(delivery.job_id)
        download(delivery)
    except Exception:
        store.release(delivery.job_id)
        return 500
    return 200


serve(in_order(deliver), store.count)
