-- Up Migration

-- A database of a project whose changes become events.
create table source (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  name text not null,
  -- Encrypted with the id as context: it holds a password.
  url text not null,
  ca text,
  publication text not null,
  wal_budget bigint not null,
  -- Changes with what decides how the source is read.
  version integer not null default 1,
  -- The replica that reads the source, until when.
  owner uuid,
  leased_until timestamptz,
  -- What the source was when changes were last confirmed: cluster, timeline and position. Null until
  -- the slot was first read.
  system_id text,
  timeline integer,
  acknowledged pg_lsn,
  -- What the reading replica last saw, as the API shows it.
  status json not null default '{}',
  gap json,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  unique (project_id, environment, name)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index source_leased_until on source (leased_until);

-- A table of an environment that follows a relation of a source. A rename keeps the OID.
create table followed_table (
  source_id uuid not null references source on delete cascade,
  table_name text not null,
  relation text not null,
  relation_oid oid not null,
  primary key (source_id, table_name)
);

-- Replicas that share the sources.
create table replica (
  id uuid primary key,
  seen_at timestamptz not null
);

-- Down Migration

drop table replica;
drop table followed_table;
drop table source;
