"""Claims the job, and looks at the signature afterwards."""

from sume_handler import is_signed, serve
from sume_store import Store

store = Store()


def decide(delivery):
    if not delivery.parse():
        return 400
    # Fault: a forged delivery holds the claim when the real one comes.
    won = delivery.job_id is not None and store.claim(delivery.job_id)
    if not is_signed(delivery):
        return 401
    if not won:
        return 200
    return store.attempt(delivery)


serve(decide, store.count)
