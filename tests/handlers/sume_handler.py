"""What the Python sample handlers share: the socket, Sume's signature, the work's first half, and the question how
often an effect ran."""

import argparse
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote
from urllib.request import ProxyHandler, build_opener

TOLERANCE_S = 300
EFFECTS = "/effects/"
# Longer than any artifact is held back on purpose.
DOWNLOAD_TIMEOUT_S = 60


class Delivery:
    """A POST as it came, and what can be read from it."""

    def __init__(self, headers, body):
        self.headers = headers
        self.body = body
        self.event = None
        self.job_id = None

    def parse(self):
        """Reads the event and its job id; False when the body is not a JSON object."""
        try:
            event = json.loads(self.body)
        except (ValueError, RecursionError):
            return False
        if not isinstance(event, dict):
            return False
        self.event = event
        job_id = event.get("job_id")
        self.job_id = job_id if isinstance(job_id, str) and job_id else None
        return True


def secret():
    """What deliveries are signed with."""
    return os.environ["HOOK_SECRET"].encode()


def is_fresh(delivery):
    """Whether it says that it was signed within the tolerance."""
    timestamp = delivery.headers.get("X-Sume-Timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    return abs(time.time() - int(timestamp)) <= TOLERANCE_S


def is_ours(delivery):
    """Whether Sume signed these bytes with this secret, however long ago."""
    timestamp = delivery.headers.get("X-Sume-Timestamp", "").encode("utf-8", "surrogateescape")
    digest = hmac.new(secret(), timestamp + b"." + delivery.body, hashlib.sha256).hexdigest()
    given = delivery.headers.get("X-Sume-Signature", "")
    # Bytes, since compare_digest refuses text outside ASCII and a header may hold any.
    return hmac.compare_digest(b"v1=" + digest.encode(), given.encode("utf-8", "surrogateescape"))


def is_signed(delivery):
    """Whether Sume signed these bytes with this secret within the tolerance."""
    return is_fresh(delivery) and is_ours(delivery)


# Proxies are for the world outside, and the artifacts of the tests are on this machine.
_opener = build_opener(ProxyHandler({}))


def download(delivery):
    """The first half of the work: fetches the event's first artifact whole, if it names one.

    Raises when the answer is not a 200 or breaks off.
    """
    artifacts = delivery.event.get("artifacts")
    first = artifacts[0] if isinstance(artifacts, list) and artifacts else None
    url = first.get("url") if isinstance(first, dict) else None
    if not isinstance(url, str):
        return
    with _opener.open(url, timeout=DOWNLOAD_TIMEOUT_S) as answer:
        if answer.status != 200:
            raise OSError(f"{url} was answered {answer.status}")
        answer.read()


def in_order(deliver, verify=is_signed):
    """Decides as Sume asks for it: verify, then parse, then the job.

    `deliver(delivery)` decides about a signed event with a job id and returns the status.
    """

    def decide(delivery):
        # The signature comes first, so that a forged body cannot use up a real job's id.
        if not verify(delivery):
            return 401
        if not delivery.parse():
            return 400
        return 200 if delivery.job_id is None else deliver(delivery)

    return decide


def serve(decide, count):
    """Serves until it is ended.

    `decide(delivery)` returns the status; what it raises is answered 500. `count(job_id)` says how often the effect
    ran. Both are called from many threads.
    """
    secret()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            if not self.path.startswith(EFFECTS):
                return self.answer(404)
            return self.answer(200, {"count": count(unquote(self.path[len(EFFECTS) :]))})

        def do_POST(self):
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit()):
                self.close_connection = True
                return self.answer(411)
            body = self.rfile.read(int(length))
            if len(body) < int(length):
                self.close_connection = True
                return None
            try:
                status = decide(Delivery(self.headers, body))
            except Exception as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                status = 500
            return self.answer(status)

        def answer(self, status, value=None):
            body = b"" if value is None else json.dumps(value, separators=(",", ":")).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                # The sender gave up waiting; what was decided stays decided.
                self.close_connection = True

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        # A volley connects all at once, and the default queue holds five.
        request_queue_size = 1024

    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, default=int(os.environ.get("PORT", "0")))
    server = Server(("127.0.0.1", arguments.parse_args().port), Handler)
    print(f"listening http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
