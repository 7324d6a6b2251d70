export type Meaning = {
  meaning: string
  /** The value belongs into a Secret, not into a ConfigMap. */
  secret?: true
  /** Description of the default, if the schema's own default does not help a reader. */
  default?: string
}

/** Purpose of each variable of the services. Every variable of a `config.ts` must be here. */
export const meanings: Readonly<Record<string, Meaning>> = {
  LOG_LEVEL: { meaning: 'The lowest level that is logged' },
  PORT: { meaning: 'The port of the API' },
  INTERNAL_PORT: {
    meaning: 'The port of `/metrics`, `/healthz` and `/readyz`. Keep clients away from it',
  },
  HOST: { meaning: 'The address to listen on. `0.0.0.0` in containers' },
  KAFKA_BROKERS: { meaning: 'Brokers as `host:port`, separated by commas' },
  KAFKA_TLS: { meaning: 'Encrypts connections to Kafka' },
  KAFKA_CA_FILE: {
    meaning: "PEM of the authorities of Kafka's certificates. Replaces the usual roots",
  },
  KAFKA_CERT_FILE: { meaning: 'PEM of a client certificate. Needs `KAFKA_KEY_FILE`' },
  KAFKA_KEY_FILE: { meaning: 'PEM of the key of the client certificate' },
  KAFKA_SASL_MECHANISM: {
    meaning: 'How the service authenticates to Kafka with a name and a password',
  },
  KAFKA_SASL_USERNAME: { meaning: "The service's name at Kafka" },
  KAFKA_SASL_PASSWORD: { meaning: "The service's password at Kafka", secret: true },
  KAFKA_CREATE_TOPICS: { meaning: '`false`: only `surehook prepare topics` creates topics' },
  SCHEMA_REGISTRY_URL: { meaning: 'The base URL of a schema registry with the API of Confluent' },
  SCHEMA_REGISTRY_CA_FILE: { meaning: "PEM of the authorities of the registry's certificate" },
  SCHEMA_REGISTRY_USERNAME: { meaning: 'The name for basic authentication at the registry' },
  SCHEMA_REGISTRY_PASSWORD: { meaning: 'The password at the registry', secret: true },
  KAFKA_PARTITIONS: {
    meaning:
      'Partitions of `changes`, `webhook.attempts` and every delivery topic. New topics get this number. To raise it, run `surehook admin partitions` first: a service does not start with a larger number than its topics have. It can never shrink',
  },
  KAFKA_REPLICATION_FACTOR: {
    meaning: 'Replicas of new topics. From 3 on, `min.insync.replicas` is 2. Use 3 in production',
  },
  WEBHOOK_RETRY_DELAYS: {
    meaning: 'The delays before the second and each further attempt. The same for all services',
  },
  WEBHOOK_RETRY_LADDER: {
    meaning:
      'The delays that webhooks may choose, `WEBHOOK_RETRY_DELAYS` among them. They name the retry topics. The same for all services',
    default: '1s,5s,30s,5m,30m,2h,8h, and WEBHOOK_RETRY_DELAYS',
  },
  DATABASE_URL: {
    meaning:
      "PostgreSQL, as the service's own role. Its `connect_timeout` is the longest wait for a connection in seconds, 3 by default",
    secret: true,
  },
  HISTORY_DATABASE_URL: {
    meaning:
      "The database of the delivery history, as webhook-api's role. Without it, the database on the server of `DATABASE_URL` whose name is that one's with `_history`",
    secret: true,
  },
  DATABASE_CA_FILE: {
    meaning: "PEM of authorities. With it, PostgreSQL's certificate and name are verified",
  },
  REDIS_URL: { meaning: '`redis://` or `rediss://user:password@host:port`', secret: true },
  DATA_LIMIT_PER_SECOND: {
    meaning:
      'Points per second of an environment at the data API and at that of sources, unless the environment sets it',
  },
  DATA_LIMIT_PER_CALLER_PER_SECOND: {
    meaning:
      'Points per second of a management token or a user at the data API and at that of sources',
  },
  WEBHOOKS_LIMIT_PER_SECOND: {
    meaning:
      'Points per second of an environment at the webhook API, unless the environment sets it',
  },
  WEBHOOKS_LIMIT_PER_CALLER_PER_SECOND: {
    meaning: 'Points per second of a management token at the webhook API',
  },
  REDIS_CA_FILE: { meaning: "PEM of the authorities of Redis's certificate" },
  KEY_ENCRYPTION_KEY: {
    meaning:
      '32 bytes in base64, the same for all services. Encrypts signing secrets and private keys. Mailed codes and refresh tokens derive from it. Keep it apart from backups of the database',
    secret: true,
  },
  KEY_ENCRYPTION_KEY_PREVIOUS: {
    meaning: 'Former keys, separated by commas. They still decrypt while you replace a key',
    secret: true,
  },
  PLATFORM_ADMIN_TOKEN: {
    meaning: 'The administration token. Two, separated by a comma, while you replace it',
    secret: true,
  },
  PLATFORM_ADMIN_TOKEN_SHA256: {
    meaning:
      'SHA-256 of the administration token in hex. Two, separated by a comma, while you replace it. Without it nobody may take ledgers',
  },
  SERVICE_TOKEN: {
    meaning:
      'The token between services, 16 to 512 characters. Two, separated by a comma, while you replace it',
    secret: true,
  },
  PUBLIC_URL: {
    meaning:
      'The base URL that clients use. Tokens of another URL are refused. With https the gateway sends HSTS',
  },
  SMTP_URL: { meaning: '`smtp://user:password@host:port` or `smtps://…`', secret: true },
  MAIL_FROM: { meaning: 'The sender of mails, unless the environment names one' },
  AUTH_HASH_CONCURRENCY: {
    meaning: 'Password hashes at once. Each uses one core and 19 MiB',
    default: 'cores',
  },
  AUTH_HASH_MAX_WAIT: {
    meaning: 'The longest expected wait for a password hash. Beyond it, a request gets 503',
  },
  AUTH_BREACH_URL: { meaning: 'The range service for `password.breachCheck`' },
  AUTH_KEY_MAX_AGE: { meaning: 'Older signing and encryption keys are replaced' },
  AUTH_KEY_LEAD: { meaning: 'The time between the publication and the first use of a key' },
  AUTH_TRUSTED_PROXIES: {
    meaning: 'Addresses and CIDRs whose `X-Forwarded-For` is trusted: those of the gateway',
  },
  AUTH_FAILED_TOKENS_PER_MINUTE: {
    meaning:
      'Bad access tokens, encrypted ones and those of trusted issuers, per client (IPv6: per /48) and replica. Beyond it, unknown tokens get 429',
  },
  UV_THREADPOOL_SIZE: {
    meaning:
      'The thread pool of Node. At least `AUTH_HASH_CONCURRENCY` + 2, or the process does not start',
  },
  AUTH_SERVICE_URL: { meaning: 'The URL of auth-service' },
  DATA_API_URL: { meaning: 'The URL of data-api' },
  POSTGRES_SOURCE_URL: { meaning: 'The URL of postgres-source' },
  WEBHOOK_API_URL: { meaning: 'The URL of webhook-api' },
  DATABASE_POOL_SIZE: {
    meaning: 'Connections for requests. One project uses at most half',
  },
  SOURCE_ALLOWED_NETWORKS: {
    meaning: 'Private networks (CIDRs) in which databases of sources may be',
  },
  SOURCE_MAX_MESSAGE_BYTES: {
    meaning: 'A source stops at a longer row, or answer of its database',
  },
  WEBHOOK_DISABLE_AFTER: {
    meaning: 'A webhook is deactivated after failing for this time. `0`: never',
  },
  STREAMS_PER_USER: { meaning: 'Open streams of a user, on all replicas together' },
  STREAMS_PER_TENANT: {
    meaning: 'Open streams per project and environment, on all replicas together',
  },
  STREAMS_PER_REPLICA: { meaning: 'Open streams of all tenants, on each replica' },
  WEBHOOK_MAX_SUBSCRIPTIONS: { meaning: 'Webhooks per project and environment' },
  WEBHOOK_HISTORY_DAYS: {
    meaning: 'Days for which deliveries are shown. The delivery topics keep two days more',
  },
  WEBHOOK_MAX_BODY: { meaning: 'Bytes. A larger body becomes a dead letter at once' },
  WEBHOOK_TIMEOUT: { meaning: 'The time limit of an attempt, from the DNS lookup to the answer' },
  WEBHOOK_CIRCUIT_COOLDOWN: { meaning: 'How long a circuit stays open' },
  WEBHOOK_ALLOWED_NETWORKS: {
    meaning:
      'Private networks (CIDRs) that deliveries, alerts to chats, and requests to trusted issuers may reach',
  },
  WEBHOOK_EXTRA_CA_FILE: {
    meaning:
      'PEM of further authorities of the certificates of receivers, chats and trusted issuers',
  },
  WEBHOOK_ENDPOINT_CONCURRENCY: { meaning: 'Attempts in flight per endpoint' },
  WEBHOOK_CONCURRENCY: {
    meaning: 'Attempts in flight per process. Connections to twice as many receivers are kept open',
  },
  WEBHOOK_WINDOW: { meaning: 'Messages of a partition that are held in memory' },
  CORS_ALLOWED_ORIGINS: {
    meaning:
      'Origins whose pages may call the APIs from a browser, separated by commas, such as `https://app.example.com`. `*` stands for every origin',
  },
  TRUSTED_PROXIES: { meaning: 'Addresses and CIDRs whose `X-Forwarded-*` is trusted' },
  CONSOLE_TEST_RECEIVER: {
    meaning: 'The https URL of a receiver that the console offers to users who have none',
  },
  GATEWAY_BODY_LIMIT_BYTES: {
    meaning:
      'Larger request bodies get 413. Values above 1 MiB change nothing: each service has this limit',
  },
  GATEWAY_UPSTREAM_TIMEOUT: { meaning: 'A request ends when a service is silent for this time' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { meaning: 'The collector of traces. Without it there are none' },
  OTEL_SERVICE_NAME: { meaning: "The service's name in traces" },
  OTEL_TRACES_SAMPLER_ARG: { meaning: 'The share of traces that are kept' },
}
