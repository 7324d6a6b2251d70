-- Up Migration

-- The clients that each user has logged in from. The failed logins of others do not lock them.
create table known_client (
  user_id uuid not null references user_account (id) on delete cascade,
  -- SHA-256, so that nobody reads addresses here.
  client_hash bytea not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, client_hash)
);
create index known_client_by_age on known_client (seen_at);
