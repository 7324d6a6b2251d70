-- Up Migration

-- A projection of webhook.deliveries and webhook.attempts, one partition per day on which the
-- deliveries were made: history ends by dropping a partition. Either topic may be read first, so
-- that whatever only the job knows can be null for a moment.
create table delivery (
  day date not null,
  id uuid not null,
  created_at timestamptz not null,
  event_id text not null,
  subscription_id uuid not null,
  project_id text not null,
  environment text not null,
  status text not null,
  -- Of the newest move: moves are applied by (step, moved_at), in whatever order they are read.
  step integer not null,
  moved_at timestamptz not null,
  next_attempt_at timestamptz,
  attempts integer not null,
  -- Of the newest move that was an attempt.
  attempt_step integer not null,
  attempted_at timestamptz not null,
  http_status integer,
  last_error text,
  watched_table text,
  operation text,
  webhook_id uuid,
  redelivery_of text,
  primary key (day, id)
) partition by range (day);

create index delivery_newest on delivery (subscription_id, day desc, created_at desc, id desc);

create table delivery_body (
  day date not null,
  delivery_id uuid not null,
  body bytea not null,
  primary key (day, delivery_id)
) partition by range (day);

create table delivery_attempt (
  day date not null,
  delivery_id uuid not null,
  step integer not null,
  at timestamptz not null,
  attempt integer not null,
  status text not null,
  url text not null,
  http_status integer,
  latency_ms integer,
  error_class text,
  error_message text,
  answer text,
  primary key (day, delivery_id, step, at)
) partition by range (day);

-- Down Migration

drop table delivery_attempt;
drop table delivery_body;
drop table delivery;
