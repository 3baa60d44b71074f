"""Verifies with the library of Standard Webhooks and claims by insert. No fault."""

import sys
from pathlib import Path

import standardwebhooks

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sume_handler import in_order, secret, serve  # noqa: E402
from sume_store import Store  # noqa: E402

store = Store()
webhook = standardwebhooks.Webhook(secret().decode())


def is_signed(delivery):
    """Whether the library takes it. It parses nothing: a signed body that is no JSON is not a forged one."""
    try:
        webhook.verify(delivery.body, dict(delivery.headers.items()), json_parse=False)
    except (standardwebhooks.WebhookVerificationError, ValueError):
        # It raises a ValueError at a signature that is not of its form.
        return False
    return True


def deliver(delivery):
    if not store.claim(delivery.job_id):
        return 200
    return store.attempt(delivery)


serve(in_order(deliver, is_signed), store.count)
