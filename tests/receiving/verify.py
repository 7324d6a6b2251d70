"""Verifies deliveries, one JSON object on each line of the input, with the library of PyPI."""

import base64
import datetime
import json
import sys

from standardwebhooks import webhooks


def clock_ahead(seconds):
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) + datetime.timedelta(seconds=seconds)

    return Clock


def is_verified(delivery):
    webhooks.datetime = clock_ahead(delivery["clockAheadS"])
    secret = delivery["secret"]
    # As text it would have to be base64.
    key = secret if secret.startswith("whsec_") else secret.encode()
    try:
        webhooks.Webhook(key).verify(base64.b64decode(delivery["body"]), delivery["headers"])
        return True
    except webhooks.WebhookVerificationError:
        return False


for line in sys.stdin:
    print(json.dumps(is_verified(json.loads(line))), flush=True)
