-- Up Migration

create table project (
  id text primary key,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);

create table environment (
  project_id text not null references project (id),
  name text not null,
  -- Only what was set: what is absent follows the defaults, also when a release changes them.
  auth_overrides jsonb not null default '{}',
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (project_id, name)
);

create table management_token (
  id uuid primary key,
  project_id text not null references project (id),
  name text not null,
  token_hash text not null unique,
  -- null: every environment of the project
  environments text[],
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at timestamptz
);

create index management_token_by_project on management_token (project_id, created_at desc, id desc);

-- Down Migration

drop table management_token;
drop table environment;
drop table project;
