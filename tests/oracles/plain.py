"""Every scheme a second time, over hashlib and hmac alone: each as its provider's documentation describes it, and
`custom` as the settings do. Takes bodies of any bytes."""

import base64
import hmac
import re
import time

TOLERANCE_S = 300


def digest(algorithm: str, key: bytes, text: bytes) -> bytes:
    return hmac.new(key, text, algorithm).digest()


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def fresh(stamp: str) -> bool:
    return stamp.isascii() and stamp.isdigit() and abs(int(time.time()) - int(stamp)) <= TOLERANCE_S


class InHeaders:
    """A scheme with its time and its signatures in headers of their own."""

    time: str | None = None
    id: str | None = None
    signature: str
    between: str | None = None

    def key(self, secret: str) -> bytes:
        return secret.encode()

    def text(self, stamp: bytes, event: bytes, body: bytes) -> bytes:
        raise NotImplementedError

    def write(self, made: bytes) -> str:
        raise NotImplementedError

    def due(self, request, stamp: str, event: str) -> str:
        text = self.text(stamp.encode(), event.encode(), request.body)
        return self.write(digest("sha256", self.key(request.secret), text))

    def sign(self, request):
        stamp = str(request.timestamp)
        headers = [[self.signature, self.due(request, stamp, request.id)]]
        if self.time:
            headers.append([self.time, stamp])
        if self.id:
            headers.append([self.id, request.id])
        return headers

    def verify(self, request) -> bool:
        stamp = request.header(self.time) if self.time else ""
        if self.time and not fresh(stamp):
            return False
        due = self.due(request, stamp, request.header(self.id) if self.id else "")
        line = request.header(self.signature)
        came = line.split(self.between) if self.between else [line]
        return any(same(one.strip(), due) for one in came)


class Sume(InHeaders):
    time, id, signature, between = "X-Sume-Timestamp", "X-Sume-Event-Id", "X-Sume-Signature", ","

    def text(self, stamp, event, body):
        return stamp + b"." + body

    def write(self, made):
        return "v1=" + made.hex()


class StandardWebhooks(InHeaders):
    time, id, signature, between = "webhook-timestamp", "webhook-id", "webhook-signature", " "

    def key(self, secret):
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)

    def text(self, stamp, event, body):
        return event + b"." + stamp + b"." + body

    def write(self, made):
        return "v1," + base64.b64encode(made).decode()


class Stripe:
    def sign(self, request):
        made = digest("sha256", request.secret.encode(), b"%d.%b" % (request.timestamp, request.body))
        return [["Stripe-Signature", f"t={request.timestamp},v1={made.hex()}"]]

    def verify(self, request) -> bool:
        pairs = [pair.partition("=")[::2] for pair in request.header("Stripe-Signature").split(",")]
        stamp = next((value for name, value in pairs if name == "t"), "")
        due = digest("sha256", request.secret.encode(), stamp.encode() + b"." + request.body).hex()
        return fresh(stamp) and any(name == "v1" and same(value, due) for name, value in pairs)


class GitHub(InHeaders):
    signature = "X-Hub-Signature-256"

    def text(self, stamp, event, body):
        return body

    def write(self, made):
        return "sha256=" + made.hex()


class Shopify(InHeaders):
    signature = "X-Shopify-Hmac-Sha256"

    def text(self, stamp, event, body):
        return body

    def write(self, made):
        return base64.b64encode(made).decode()


class Slack(InHeaders):
    time, signature = "X-Slack-Request-Timestamp", "X-Slack-Signature"

    def text(self, stamp, event, body):
        return b"v0:" + stamp + b":" + body

    def write(self, made):
        return "v0=" + made.hex()


class Custom:
    KEYS = {"text": str.encode, "base64": base64.b64decode, "hex": bytes.fromhex}
    WRITE = {"hex": bytes.hex, "base64": lambda made: base64.b64encode(made).decode()}

    def due(self, request, stamp: str, event: str) -> str:
        form = request.form
        values = {
            "{timestamp}": stamp,
            "{id}": event,
            "{method}": request.method,
            "{path}": request.path,
            "{query}": request.query,
        }

        def fill(part: str) -> bytes:
            if part == "{body}":
                return request.body
            if part.startswith("{header:"):
                return request.header(part[len("{header:") : -1]).encode()
            return values.get(part, part).encode()

        text = b"".join(map(fill, re.split(r"(\{[^}]*\})", form["signed"])))
        made = digest(form["algorithm"], self.KEYS[form["secret"]](request.secret), text)
        return form["prefix"] + self.WRITE[form["encoding"]](made)

    def sign(self, request):
        form, stamp = request.form, str(request.timestamp)
        place = form["timestamp"]
        value = self.due(request, stamp, request.id)
        headers = []
        if place["kind"] == "parameter":
            value = f"{place['name']}={stamp}{form['separator']}{value}"
        elif place["kind"] == "header":
            headers.append([place["name"], stamp])
        if form["id_header"]:
            headers.append([form["id_header"], request.id])
        return [*headers, [form["signature_header"], value]]

    def verify(self, request) -> bool:
        form = request.form
        place = form["timestamp"]
        line = request.header(form["signature_header"])
        came = line.split(form["separator"]) if form["separator"] else [line]
        stamp = ""
        if place["kind"] == "header":
            stamp = request.header(place["name"])
        elif place["kind"] == "parameter":
            marker = place["name"] + "="
            stamp = next((one.removeprefix(marker) for one in came if one.startswith(marker)), "")
        if place["kind"] != "none" and not fresh(stamp):
            return False
        event = request.header(form["id_header"]) if form["id_header"] else ""
        due = self.due(request, stamp, event)
        return any(same(one, due) for one in came)


SCHEMES = {
    "sume": Sume(),
    "standard-webhooks": StandardWebhooks(),
    "stripe": Stripe(),
    "github": GitHub(),
    "shopify": Shopify(),
    "slack": Slack(),
    "custom": Custom(),
}
