import asyncio
import json
import os
import re
import tempfile

import uvicorn
from fastapi import FastAPI, Request, Response
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

# During a rotation the array holds the old secret and the new one.
SECRETS = json.loads(os.environ.get("WEBHOOK_SECRETS", "[]"))
WEBHOOKS = [Webhook(one if one.startswith("whsec_") else one.encode()) for one in SECRETS]
INBOX = os.environ.get("INBOX", "inbox")
app = FastAPI()


def is_genuine(body, headers):
    for webhook in WEBHOOKS:
        try:
            webhook.verify(body, headers)
            return True
        except (WebhookVerificationError, ValueError):
            continue
    return False


def keep(delivery_id, body):
    """Keeps a delivery once: the link fails if an earlier attempt made it."""
    with tempfile.NamedTemporaryFile(dir=INBOX, suffix=".partial") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
        try:
            os.link(file.name, f"{INBOX}/{delivery_id}.json")
        except FileExistsError:
            pass


@app.post("/{path:path}")
async def receive(request: Request):
    # The signature covers the raw bytes, so read them before any parser does.
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > 2_000_000:
            return Response(status_code=413)
    delivery_id = request.headers.get("webhook-id", "")
    if not is_genuine(bytes(body), dict(request.headers)):
        return Response(status_code=401)
    if not re.fullmatch("[0-9A-Za-z-]{1,64}", delivery_id):
        return Response(status_code=400)
    await asyncio.to_thread(keep, delivery_id, body)
    return Response(status_code=204)


if __name__ == "__main__":
    os.makedirs(INBOX, exist_ok=True)
    tls = {"ssl_certfile": os.environ.get("TLS_CERT"), "ssl_keyfile": os.environ.get("TLS_KEY")}
    uvicorn.run(app, port=int(os.environ.get("PORT", "8000")), **tls)
