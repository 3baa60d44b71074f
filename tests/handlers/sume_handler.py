"""What the Python sample handlers share: the socket, Sume's signature, and the question how often an effect ran."""

import argparse
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

TOLERANCE_S = 300
EFFECTS = "/effects/"


def store():
    """Where the handler keeps its effects."""
    return os.environ["HOOK_STORE"]


def is_signed(headers, body, secret, now):
    """Whether Sume signed these bytes with this secret within the tolerance."""
    timestamp = headers.get("X-Sume-Timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(now - int(timestamp)) > TOLERANCE_S:
        return False
    digest = hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    given = headers.get("X-Sume-Signature", "")
    # Bytes, since compare_digest refuses text outside ASCII and a header may hold any.
    return hmac.compare_digest(b"v1=" + digest.encode(), given.encode("utf-8", "surrogateescape"))


def serve(deliver, count):
    """Serves until it is ended.

    `deliver(job_id, event)` decides about a signed event and returns the status; `count(job_id)` says how often its
    effect ran. Both are called from many threads.
    """
    secret = os.environ["HOOK_SECRET"].encode()

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
            # The signature comes first, so that a forged body cannot use up a real job's id.
            if not is_signed(self.headers, body, secret, time.time()):
                return self.answer(401)
            try:
                event = json.loads(body)
            except (ValueError, RecursionError):
                return self.answer(400)
            if not isinstance(event, dict):
                return self.answer(400)
            job_id = event.get("job_id")
            if not isinstance(job_id, str) or not job_id:
                return self.answer(200)
            return self.answer(deliver(job_id, event))

        def answer(self, status, value=None):
            body = b"" if value is None else json.dumps(value, separators=(",", ":")).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

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
