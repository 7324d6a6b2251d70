-- Up Migration

-- Keys of writes and what they were answered with, for a day. Removed row by row, all the time.
create table idempotency_key (
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (scope, key)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index idempotency_key_created_at on idempotency_key (created_at);

-- Down Migration

drop table idempotency_key;
