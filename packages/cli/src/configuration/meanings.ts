export type Meaning = {
  meaning: string
  /** Belongs into a Secret, not into a ConfigMap. */
  secret?: true
  /** In words, where the schema's own says nothing to a reader. */
  default?: string
}

/** What each variable of the services is for. Every variable of a `config.ts` must be here. */
export const meanings: Readonly<Record<string, Meaning>> = {
  LOG_LEVEL: { meaning: 'what is logged' },
  PORT: { meaning: 'of its API' },
  INTERNAL_PORT: { meaning: '`/metrics`, `/healthz`, `/readyz`: not for clients' },
  HOST: { meaning: 'address to listen on; `0.0.0.0` in containers' },
  KAFKA_BROKERS: { meaning: '`host:port`, comma-separated' },
  KAFKA_TLS: { meaning: 'whether connections to Kafka are encrypted' },
  KAFKA_CA_FILE: {
    meaning: "PEM of the authorities of Kafka's certificates, in place of the usual ones",
  },
  KAFKA_CERT_FILE: { meaning: 'PEM of a client certificate, with `KAFKA_KEY_FILE`' },
  KAFKA_KEY_FILE: { meaning: 'PEM of its key' },
  KAFKA_SASL_MECHANISM: {
    meaning: 'how the service authenticates to Kafka, with name and password',
  },
  KAFKA_SASL_USERNAME: { meaning: "the service's own name" },
  KAFKA_SASL_PASSWORD: { meaning: 'its password', secret: true },
  KAFKA_CREATE_TOPICS: { meaning: '`false`: topics are made by `surehook prepare topics` alone' },
  SCHEMA_REGISTRY_URL: { meaning: "base of the registry's Confluent API" },
  SCHEMA_REGISTRY_CA_FILE: { meaning: "PEM of the authorities of the registry's certificate" },
  SCHEMA_REGISTRY_USERNAME: { meaning: 'basic authentication, with its password' },
  SCHEMA_REGISTRY_PASSWORD: { meaning: 'of the registry', secret: true },
  KAFKA_PARTITIONS: {
    meaning:
      'of `changes`, `webhook.attempts` and every delivery topic; the same for all services, and never changed for topics that exist',
  },
  KAFKA_REPLICATION_FACTOR: {
    meaning: 'of topics that are made; from 3 on `min.insync.replicas` is 2. 3 in production',
  },
  WEBHOOK_RETRY_DELAYS: {
    meaning:
      'before the second attempt, the third, …; the retry topics are named after them: the same for all services',
  },
  DATABASE_URL: { meaning: "as the service's own role", secret: true },
  DATABASE_CA_FILE: { meaning: 'PEM of authorities: PostgreSQL is then verified, name included' },
  REDIS_URL: { meaning: '`redis://` or `rediss://user:password@host:port`', secret: true },
  REDIS_CA_FILE: { meaning: "PEM of the authorities of Redis's certificate" },
  KEY_ENCRYPTION_KEY: {
    meaning:
      '32 bytes in base64, the same for all: seals webhook secrets and private keys; codes and refresh tokens derive from it. Keep it apart from backups of the database',
    secret: true,
  },
  KEY_ENCRYPTION_KEY_PREVIOUS: {
    meaning:
      'former keys, comma-separated: what they sealed is still opened while a key is replaced',
    secret: true,
  },
  PLATFORM_ADMIN_TOKEN: {
    meaning: "the administration's token; two, comma-separated, while it is replaced",
    secret: true,
  },
  PLATFORM_ADMIN_TOKEN_SHA256: {
    meaning:
      "hex SHA-256 of the administration's token, likewise: lets its holder take ledgers; without it nobody may",
  },
  SERVICE_TOKEN: {
    meaning: 'what services show each other, 16 to 512 characters; two while it is replaced',
    secret: true,
  },
  PUBLIC_URL: {
    meaning:
      'the base URL that clients see; tokens of another one are refused, and the gateway of one with https says so to browsers',
  },
  SMTP_URL: { meaning: '`smtp://user:password@host:port` or `smtps://…`', secret: true },
  MAIL_FROM: { meaning: "sender, where an environment's settings name none" },
  AUTH_HASH_CONCURRENCY: {
    meaning: 'password hashes at once; each takes a core and 19 MiB',
    default: 'cores',
  },
  AUTH_HASH_MAX_WAIT: {
    meaning: 'the longest expected wait for a hash; what would wait longer gets 503',
  },
  AUTH_BREACH_URL: { meaning: 'range service for `password.breachCheck`' },
  AUTH_KEY_MAX_AGE: { meaning: 'signing and encryption keys that are older are replaced' },
  AUTH_KEY_LEAD: { meaning: 'a new key is published for so long before it is used' },
  AUTH_TRUSTED_PROXIES: {
    meaning: "addresses and CIDRs whose `X-Forwarded-For` is believed: the gateway's",
  },
  AUTH_FAILED_TOKENS_PER_MINUTE: {
    meaning:
      'so many encrypted access tokens of one client (IPv6: one /48) may be bad, per replica; unknown ones then get 429',
  },
  UV_THREADPOOL_SIZE: {
    meaning: "Node's own: `AUTH_HASH_CONCURRENCY` and 2 at least, or the process does not start",
  },
  AUTH_SERVICE_URL: { meaning: 'where auth-service is reached' },
  DATA_API_URL: { meaning: 'where data-api is reached' },
  WEBHOOK_API_URL: { meaning: 'where webhook-api is reached' },
  DATABASE_POOL_SIZE: {
    meaning: 'connections for requests; those of one tenant hold at most half',
  },
  WEBHOOK_DISABLE_AFTER: {
    meaning: 'so long nothing but failed attempts deactivates a subscription; `0`: never',
  },
  WEBHOOK_MAX_SUBSCRIPTIONS: { meaning: 'per project and environment' },
  WEBHOOK_HISTORY_DAYS: {
    meaning: 'for which deliveries are shown; the delivery topics keep a day more',
  },
  WEBHOOK_MAX_BODY: { meaning: 'bytes; a larger body is a dead letter at once' },
  WEBHOOK_TIMEOUT: { meaning: 'for a whole attempt, from resolving the name to the answer' },
  WEBHOOK_CIRCUIT_COOLDOWN: { meaning: 'how long a circuit stays open' },
  WEBHOOK_ALLOWED_NETWORKS: {
    meaning: 'CIDRs that deliveries may go to although they are not public',
  },
  WEBHOOK_EXTRA_CA_FILE: {
    meaning: 'PEM that receivers may be certified by, besides the usual roots',
  },
  WEBHOOK_ENDPOINT_CONCURRENCY: { meaning: 'attempts in flight per endpoint' },
  WEBHOOK_WINDOW: { meaning: 'messages that a partition of a topic may hold in memory' },
  TRUSTED_PROXIES: { meaning: 'addresses and CIDRs whose `X-Forwarded-*` is believed' },
  GATEWAY_BODY_LIMIT_BYTES: { meaning: 'larger request bodies are 413' },
  GATEWAY_UPSTREAM_TIMEOUT: { meaning: 'silence of an upstream that ends a request' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { meaning: 'where traces go; none are made without it' },
  OTEL_SERVICE_NAME: { meaning: 'its name in traces' },
  OTEL_TRACES_SAMPLER_ARG: { meaning: 'the share of traces that are kept' },
}
