-- Up Migration

create table subscription (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  watched_table text not null,
  events text[] not null,
  url text not null,
  active boolean not null,
  -- The filter as JSON text. null: every record matches.
  filter text,
  -- null: every field is sent
  selected text[],
  -- [{ "ciphertext", "validUntil" }], the current secret first, each encrypted for this row's id.
  secrets jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text,
  -- The keys of the delivery policy that were set, as DeliveryPolicy of webhook.subscriptions.
  -- Headers are encrypted and bound to the row's id. null: all defaults.
  policy jsonb,
  -- Cancellations by request: [{ "status", "until", "askedAt" }]. Times are epoch milliseconds.
  cancellations jsonb not null default '[]',
  -- Configuration files find a subscription by its name. null: it has none.
  name text
);

create index subscription_newest on subscription (project_id, environment, created_at desc, id desc);
create unique index subscription_name on subscription (project_id, environment, name)
  where name is not null;

-- What a subscription was, for as long as a change of that time can be asked about.
create table subscription_version (
  subscription_id uuid not null,
  number bigint generated always as identity,
  valid_from timestamptz not null,
  -- The position in the WAL when it was written.
  lsn pg_lsn,
  active boolean not null,
  watched_table text not null,
  events text[] not null,
  filter text,
  primary key (subscription_id, number)
);

-- Subscriptions whose attempts all failed since the last success: their first and last failure.
create table failing_subscription (
  subscription_id uuid primary key,
  failing_since timestamptz not null,
  failed_at timestamptz not null
);

-- Subscriptions that are to be deactivated: the receiver answered 410, and the policy says
-- `deactivate`.
create table gone_subscription (
  subscription_id uuid primary key,
  url text not null,
  gone_at timestamptz not null
);

-- Environments that have, or had, a subscription with its own retry delays. After the environment's
-- deletion, ends_at is the time by which its last job has left the slowest retry topic. Until then
-- its purge is not complete.
create table long_retries (
  project_id text not null,
  environment text not null,
  ends_at timestamptz,
  primary key (project_id, environment)
);

-- A projection of webhook.deliveries and webhook.attempts, one partition per day of creation:
-- history ends by dropping a partition. Either topic may be read first, so columns that only the
-- job knows can be null for a moment.
create table delivery (
  day date not null,
  id uuid not null,
  created_at timestamptz not null,
  event_id text not null,
  subscription_id uuid not null,
  project_id text not null,
  environment text not null,
  status text not null,
  -- Of the newest transition. Transitions apply by (step, moved_at), in any order of reading.
  step integer not null,
  moved_at timestamptz not null,
  next_attempt_at timestamptz,
  attempts integer not null,
  -- Of the newest transition that was an attempt.
  attempt_step integer not null,
  attempted_at timestamptz not null,
  http_status integer,
  last_error text,
  watched_table text,
  operation text,
  webhook_id uuid,
  redelivery_of text,
  -- The body of a job that webhook-api made itself, until the job is read.
  body bytea,
  -- A line per attempt, the JSON of [step, at, attempt, status, url, httpStatus, latencyMs,
  -- errorClass, errorMessage, answer]. A line may appear more than once.
  attempt_log text,
  -- The position of the job on webhook.deliveries, which keeps its body longer than this row. A job
  -- that webhook-api made itself has the partition -1 until it is read.
  job_partition integer,
  job_offset bigint,
  -- The record of the change.
  record_id text collate "C",
  -- Bits 0 to 30: the attempts, by number, that attempt_stats contains. Bit 30: an end without an
  -- attempt. Bits 31 to 61: the same bits before the last write, so that the writer knows which
  -- attempts are new.
  counted bigint not null default 0,
  -- The id comes first: a delivery is read by its id, without its day.
  primary key (id, day)
) partition by range (day);

-- History of a subscription by status. Without a status, it is read status by status.
create index delivery_by_status
  on delivery (subscription_id, status, day desc, created_at desc, id desc);
create index delivery_by_origin on delivery (redelivery_of) where redelivery_of is not null;
-- An event's delivery has an id that is made of the event's. A redelivery has that id as its
-- `webhook_id`.
create index delivery_sent_again on delivery (webhook_id) where redelivery_of is not null;
-- For searches of a whole environment, in the order of the answer. The index has a hash, because
-- names would make its entries three times as long.
create index delivery_of_tenant on delivery
  (hashtext(project_id || '/' || environment), day desc, created_at desc);
-- For searches of undelivered rows: they are few, and most searches ask for them.
create index delivery_undelivered on delivery
  (hashtext(project_id || '/' || environment), day desc, created_at desc)
  where status <> 'delivered';
-- For searches of a record. New ids are the highest, so inserts stay on recently used pages. A hash
-- would make them five times as expensive.
create index delivery_of_record on delivery (record_id, day desc, created_at desc)
  where record_id is not null;

-- The results of a subscription's attempts, in buckets of five minutes.
create table attempt_stats (
  subscription_id uuid not null,
  at timestamptz not null,
  attempts integer not null,
  delivered integer not null,
  retrying integer not null,
  dead_letter integer not null,
  cancelled integer not null,
  -- Counts of attempts by class of duration, each as class * 2^24 + count. A class may appear more
  -- than once.
  latencies integer[] not null,
  primary key (subscription_id, at)
) with (fillfactor = 50);

create index attempt_stats_age on attempt_stats (at);

-- Unfinished requests to redeliver dead letters. The position is the last finished dead letter.
create table recovery (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  subscription_id uuid not null,
  since timestamptz not null,
  until timestamptz not null,
  requested_at timestamptz not null,
  position_at timestamptz not null,
  position_id uuid not null,
  -- The recovery that has waited longest is next.
  worked_at timestamptz not null
);

create index recovery_next on recovery (worked_at);

create table replay (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  subscription_id uuid not null,
  state text not null check (state in ('running', 'done', 'cancelled')),
  span_from timestamptz not null,
  span_until timestamptz not null,
  -- [{ "partition", "from", "to" }]: the offsets that are still to be read
  spans jsonb not null,
  scanned bigint not null,
  deliveries bigint not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- No other replica works on it before. The replay that has waited longest is next.
  due_at timestamptz not null,
  -- The claim of the replica that works on it. A replica with an older claim stops.
  taken_by uuid
);

create index replay_next on replay (due_at) where state = 'running';
create unique index replay_running on replay (subscription_id) where state = 'running';

-- Rebuilds of the delivery history from its topics: at most one is unfinished.
create table history_rebuild (
  id uuid primary key,
  state text not null check (state in ('asked', 'emptied', 'reading', 'done')),
  -- [{ "topic", "partition", "from", "to" }]: the offsets that are still to be read
  spans jsonb not null default '[]',
  records bigint not null default 0,
  records_in_all bigint not null default 0,
  oldest_at timestamptz,
  asked_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- As in replay.
  due_at timestamptz not null default clock_timestamp(),
  taken_by uuid
);

create unique index history_rebuild_one on history_rebuild ((true)) where state <> 'done';

create table idempotency_key (
  -- JSON: [project, environment]
  scope text not null,
  key text not null,
  -- HMAC of the request, because its body may contain a secret.
  fingerprint bytea not null,
  -- The answer as JSON text.
  answer text not null,
  created_at timestamptz not null,
  primary key (scope, key)
);

create index idempotency_key_age on idempotency_key (created_at);

-- Down Migration

drop table idempotency_key;
drop table history_rebuild;
drop table replay;
drop table recovery;
drop table attempt_stats;
drop table delivery;
drop table long_retries;
drop table gone_subscription;
drop table failing_subscription;
drop table subscription_version;
drop table subscription;
