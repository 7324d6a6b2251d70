import base64
import hashlib
import hmac
import json
import os
import re
import ssl
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Every secret that may be in use, as a JSON array: during a rotation the old one and the new one.
SECRETS = json.loads(os.environ.get("WEBHOOK_SECRETS", "[]"))
INBOX = os.environ.get("INBOX", "inbox")
TOLERANCE_S = 300
MAX_BODY_BYTES = 2_000_000


def is_genuine(headers, body):
    """Whether these bytes were sent by us, and lately."""
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False

    prefix = f"{headers.get('webhook-id', '')}.{timestamp}.".encode()
    standard = [b"v1," + base64.b64encode(digest(key_of(secret), prefix + body)) for secret in SECRETS]
    service = [b"sha256=" + digest(secret.encode(), body).hex().encode() for secret in SECRETS]
    given = headers.get("webhook-signature", "").split(" ")
    return any_equal(given, standard) and any_equal([headers.get("x-service-signature", "")], service)


def key_of(secret):
    """The key of webhook-signature: a secret that begins with whsec_ is base64."""
    if not secret.startswith("whsec_"):
        return secret.encode()
    encoded = secret.removeprefix("whsec_")
    return base64.b64decode(encoded + "=" * (-len(encoded) % 4))


def digest(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def any_equal(given, expected):
    # In constant time: how much of a wrong signature is right must not show.
    return any(hmac.compare_digest(one.encode(), other) for one in given for other in expected)


def take(delivery_id, body):
    """Takes a delivery once: a link of that name can be made once, and is made when all is on the disk."""
    with tempfile.NamedTemporaryFile(dir=INBOX, suffix=".partial") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
        try:
            os.link(file.name, os.path.join(INBOX, f"{delivery_id}.json"))
        except FileExistsError:
            pass
    directory = os.open(INBOX, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,12}", length):
            return self.refuse(411)
        if int(length) > MAX_BODY_BYTES:
            return self.refuse(413)
        # The bytes as they came: JSON that was parsed and written again has another signature.
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.refuse(401)
        # The same in every attempt, and another one for each webhook of the event.
        delivery_id = self.headers.get("webhook-id", "")
        if not re.fullmatch("[0-9A-Za-z-]{1,64}", delivery_id):
            return self.refuse(400)
        # The work comes after the answer, from the inbox: an answer after 5 s is too late.
        take(delivery_id, body)
        print(body.decode(), flush=True)
        self.send_response(204)
        self.end_headers()

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()


if __name__ == "__main__":
    os.makedirs(INBOX, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
    # Without a certificate it speaks HTTP, behind a proxy that ends TLS.
    if "TLS_CERT" in os.environ:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
        # The handshake is made by the connection's own thread, at its first read.
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()
