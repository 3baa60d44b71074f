"""The providers' own libraries, each asked as its documentation shows. `bodies` says what a library can take; what it
does not take is never asked. A refusal is `False`; any other exception goes through and fails the test."""

from datetime import datetime, timezone

import slack_sdk.signature
import standardwebhooks
import stripe
import svix.webhooks


class Stripe:
    package, scheme, ahead = "stripe", "stripe", "taken"

    def sign(self, request):
        made = stripe.WebhookSignature.generate_signature_header(request.text, request.secret, request.timestamp)
        return [["Stripe-Signature", made]]

    def verify(self, request) -> bool:
        header = request.header("Stripe-Signature")
        try:
            return stripe.WebhookSignature.verify_header(request.text, header, request.secret, 300)
        except stripe.SignatureVerificationError:
            return False


class Webhooks:
    """Standard Webhooks and Svix have one interface and their own names of headers."""

    scheme, ahead = "standard-webhooks", "refused"

    def __init__(self, package, prefix, library, **options):
        self.package, self.prefix, self.library, self.options = package, prefix, library, options

    def sign(self, request):
        at = datetime.fromtimestamp(request.timestamp, tz=timezone.utc)
        made = self.library.Webhook(request.secret).sign(request.id, at, request.text)
        return [
            [f"{self.prefix}-id", request.id],
            [f"{self.prefix}-timestamp", str(request.timestamp)],
            [f"{self.prefix}-signature", made],
        ]

    def verify(self, request) -> bool:
        webhook = self.library.Webhook(request.secret)
        try:
            webhook.verify(request.body, dict(request.headers), **self.options)
        except self.library.WebhookVerificationError:
            return False
        return True


class Slack:
    package, scheme, ahead = "slack_sdk", "slack", "refused"

    def sign(self, request):
        stamp = str(request.timestamp)
        verifier = slack_sdk.signature.SignatureVerifier(request.secret)
        made = verifier.generate_signature(timestamp=stamp, body=request.body)
        return [["X-Slack-Request-Timestamp", stamp], ["X-Slack-Signature", made]]

    def verify(self, request) -> bool:
        verifier = slack_sdk.signature.SignatureVerifier(request.secret)
        return verifier.is_valid_request(request.body, dict(request.headers))


LIBRARIES = [
    Webhooks("svix", "svix", svix.webhooks),
    Webhooks("standardwebhooks", "webhook", standardwebhooks, json_parse=False),
    Stripe(),
    Slack(),
]
