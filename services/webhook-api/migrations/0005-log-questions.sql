-- Up Migration

-- What a subscription was, for as long as a change from then may still be asked about.
create table subscription_version (
  subscription_id uuid not null,
  number bigint generated always as identity,
  valid_from timestamptz not null,
  -- Where the WAL was when it was written; null for what was there before versions were kept.
  lsn pg_lsn,
  active boolean not null,
  watched_table text not null,
  events text[] not null,
  filter text,
  primary key (subscription_id, number)
);

insert into subscription_version
  (subscription_id, valid_from, active, watched_table, events, filter)
select id, updated_at, active, watched_table, events, filter from subscription;

create table replay (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  subscription_id uuid not null,
  state text not null check (state in ('running', 'done', 'cancelled')),
  span_from timestamptz not null,
  span_until timestamptz not null,
  -- [{ "partition", "from", "to" }]: what of the log is still to be read.
  spans jsonb not null,
  scanned bigint not null,
  deliveries bigint not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Nobody else works on it before; the one that has waited longest is next.
  due_at timestamptz not null,
  -- Whoever took it last: nobody else may go on with what was begun then.
  taken_by uuid
);

create index replay_next on replay (due_at) where state = 'running';
create unique index replay_running on replay (subscription_id) where state = 'running';

-- Down Migration

drop table replay;
drop table subscription_version;
