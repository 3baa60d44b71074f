"""Signs and verifies with what is not ours. Its first line says what there is; then it answers a line for each line of
stdin, both JSON, with bodies in base64, until stdin ends."""

import base64
import json
import sys
import traceback
from importlib.metadata import version

from libraries import LIBRARIES
from plain import SCHEMES


class Request:
    def __init__(self, fields):
        self.__dict__.update(fields)
        self.body = base64.b64decode(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    def header(self, wanted: str) -> str:
        return next((value for name, value in self.headers if name.lower() == wanted.lower()), "")


def known():
    for one in LIBRARIES:
        yield one, {
            "oracle": one.package,
            "version": version(one.package),
            "scheme": one.scheme,
            "bodies": "text",
            "empty": True,
            "ahead": one.ahead,
            "signs": True,
        }
    for scheme, one in SCHEMES.items():
        yield one, {
            "oracle": "hashlib",
            "version": None,
            "scheme": scheme,
            "bodies": "bytes",
            "empty": True,
            "ahead": "refused",
            "signs": True,
        }


def say(value):
    print(json.dumps(value), flush=True)


def main():
    all_of_them = list(known())
    acts = {(said["oracle"], said["scheme"]): one for one, said in all_of_them}
    say({"package": "PyPI", "oracles": [said for _, said in all_of_them]})
    for line in sys.stdin:
        try:
            asked = json.loads(line)
            one = acts[asked["oracle"], asked["scheme"]]
            request = Request(asked)
            if asked["do"] == "sign":
                say({"headers": one.sign(request)})
            else:
                say({"valid": one.verify(request)})
        except Exception:
            say({"error": traceback.format_exc()})


main()
