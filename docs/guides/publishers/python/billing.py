import datetime
import io
import json
import os
import sqlite3
import sys
import urllib.request
import uuid

import fastavro
from confluent_kafka import Producer

# A service with a table of its own: `billing.py issue <id> <amount>`, `billing.py pay <id>`.
REGISTRY = os.environ.get("SCHEMA_REGISTRY_URL", "http://localhost:8081/apis/ccompat/v7")
database = sqlite3.connect(os.environ.get("DATABASE", "billing.sqlite"), isolation_level=None)
database.executescript(
    """
    CREATE TABLE IF NOT EXISTS invoice (id TEXT PRIMARY KEY, amount TEXT NOT NULL, paid_at TEXT);
    CREATE TABLE IF NOT EXISTS outbox (place INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT NOT NULL);
    """
)


def now():
    text = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def write(operation, invoice_id, statement, values):
    """The row and its change are one commit: neither can be there without the other."""
    database.execute("BEGIN IMMEDIATE")
    database.execute(statement, values)
    row = database.execute("SELECT id, amount, paid_at FROM invoice WHERE id = ?", [invoice_id]).fetchone()
    if row is None:
        sys.exit(f"there is no invoice {invoice_id}")
    change = {
        # Made here and kept: receivers tell repetitions by it.
        "id": str(uuid.uuid4()),
        "timestamp": now(),
        "projectId": os.environ.get("PROJECT", "shop"),
        "environment": os.environ.get("ENVIRONMENT", "master"),
        "table": "invoices",
        "recordId": invoice_id,
        "operation": operation,
        "record": json.dumps(dict(zip(["id", "amount", "paidAt"], row))),
        "changedFields": ["paidAt"] if operation == "UPDATE" else [],
        "source": "billing",
        "requestId": None,
        "traceparent": None,
    }
    database.execute("INSERT INTO outbox (change) VALUES (?)", [json.dumps(change)])
    database.execute("COMMIT")


def encoder():
    """Confluent wire format: 0, the schema's id in 4 bytes, the Avro binary."""
    with urllib.request.urlopen(f"{REGISTRY}/subjects/changes-value/versions/latest") as answer:
        latest = json.load(answer)
    schema = fastavro.parse_schema(json.loads(latest["schema"]))
    prefix = b"\0" + latest["id"].to_bytes(4, "big")

    def encode(change):
        out = io.BytesIO(prefix)
        out.seek(len(prefix))
        fastavro.schemaless_writer(out, schema, change)
        return out.getvalue()

    return encode


def publish_outbox():
    """In the order of their commits; what is not acknowledged stays, and is published again."""
    waiting = database.execute("SELECT place, change FROM outbox ORDER BY place").fetchall()
    if not waiting:
        return
    producer = Producer(
        {
            "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "localhost:9092"),
            "enable.idempotence": True,
            "partitioner": "murmur2_random",
            "allow.auto.create.topics": False,
            "delivery.timeout.ms": 5_000,
        }
    )
    encode = encoder()
    failures = []
    for _, text in waiting:
        change = json.loads(text)
        key = "/".join(change[name] for name in ["projectId", "environment", "table", "recordId"])
        producer.produce(
            "changes", key=key, value=encode(change), on_delivery=lambda err, _: err and failures.append(err)
        )
    producer.flush()
    if failures:
        sys.exit(f"not published: {failures[0]}")
    database.execute("DELETE FROM outbox WHERE place <= ?", [waiting[-1][0]])


match sys.argv[1:]:
    case ["issue", invoice_id, amount]:
        write("INSERT", invoice_id, "INSERT INTO invoice (id, amount) VALUES (?, ?)", [invoice_id, amount])
    case ["pay", invoice_id]:
        write("UPDATE", invoice_id, "UPDATE invoice SET paid_at = ? WHERE id = ?", [now(), invoice_id])
publish_outbox()
