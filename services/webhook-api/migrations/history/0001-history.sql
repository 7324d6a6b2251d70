-- Up Migration

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

-- The sums of attempt_stats by hour. Statistics of seven days read only these.
create table attempt_stats_hour (
  subscription_id uuid not null,
  at timestamptz not null,
  attempts integer not null,
  delivered integer not null,
  retrying integer not null,
  dead_letter integer not null,
  cancelled integer not null,
  -- Counts of attempts by class of duration, each as class * 2^32 + count. A class may appear more
  -- than once.
  latencies bigint[] not null,
  primary key (subscription_id, at)
) with (fillfactor = 50);

create index attempt_stats_hour_age on attempt_stats_hour (at);

-- Rebuilds of the delivery history from its topics: at most one is unfinished. `moving`: the rows of
-- an older version, which had the history in its own database, are still to be moved here.
create table history_rebuild (
  id uuid primary key,
  state text not null check (state in ('moving', 'asked', 'emptied', 'reading', 'done')),
  -- [{ "topic", "partition", "from", "to" }]: the offsets that are still to be read
  spans jsonb not null default '[]',
  records bigint not null default 0,
  records_in_all bigint not null default 0,
  oldest_at timestamptz,
  asked_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- `taken_by` has the row until then.
  due_at timestamptz not null default clock_timestamp(),
  taken_by uuid
);

create unique index history_rebuild_one on history_rebuild ((true)) where state <> 'done';

-- What was moved here from the tables of an older version, by the digest of its rows. After a crash
-- between the two commits, the same statistics come again and must not count twice.
create table moved_statistics (
  digest text primary key,
  moved_at timestamptz not null default clock_timestamp()
);

-- Down Migration

drop table moved_statistics;
drop table history_rebuild;
drop table attempt_stats_hour;
drop table attempt_stats;
drop table delivery;
