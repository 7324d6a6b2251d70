-- Up Migration

-- A delivery is asked for by its id alone, whatever its day.
alter table delivery drop constraint delivery_pkey, add primary key (id, day);

-- History by status and by event, in the order in which it is shown.
create index delivery_by_status
  on delivery (subscription_id, status, day desc, created_at desc, id desc);
create index delivery_by_event on delivery (subscription_id, event_id);
create index delivery_by_origin on delivery (redelivery_of) where redelivery_of is not null;

-- Requests to put dead letters back that are not done yet. Position: up to where it is done.
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
  -- The one that was worked on longest ago is next.
  worked_at timestamptz not null
);

create index recovery_next on recovery (worked_at);

create table idempotency_key (
  -- JSON: [project, environment]
  scope text not null,
  key text not null,
  -- HMAC of the request: its body may hold a secret.
  fingerprint bytea not null,
  -- The answer as JSON text.
  answer text not null,
  created_at timestamptz not null,
  primary key (scope, key)
);

create index idempotency_key_age on idempotency_key (created_at);

-- Down Migration

drop table idempotency_key;
drop table recovery;
drop index delivery_by_origin;
drop index delivery_by_event;
drop index delivery_by_status;
alter table delivery drop constraint delivery_pkey, add primary key (day, id);
