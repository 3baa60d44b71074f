"""Claims in a column that does not tell upper from lower case."""

from sume_handler import in_order, serve
from sume_store import Store

# Fault: job_A and job_a are one key here, as in the usual collations of MySQL and SQL Server.
store = Store("create table if not exists claims (job_id text primary key collate nocase)")


def deliver(delivery):
    if not store.claim(delivery.job_id):
        return 200
    return store.attempt(delivery)


serve(in_order(deliver), store.count)
