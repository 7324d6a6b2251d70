-- Up Migration

create table signing_key (
  project_id text not null,
  environment text not null,
  kid text not null,
  use text not null check (use in ('sig', 'enc')),
  -- The members n and e of the public JWK.
  public_key jsonb not null,
  -- PKCS #8, sealed under KEY_ENCRYPTION_KEY and bound to its place.
  sealed_private_key text not null,
  -- In seconds, of the access tokens made while it was there: it is kept until the last has expired.
  longest_ttl integer not null default 0,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Published from its creation on, used from here on: verifiers may keep what they know for 5 minutes.
  active_from timestamptz(3) not null default clock_timestamp(),
  primary key (project_id, environment, kid)
);

-- One row per session, changed in place at every refresh: no index has a column that a refresh changes,
-- and each page has room, so that it stays a HOT update.
create table session (
  -- UUIDv7; the claim `sid`.
  id uuid primary key,
  project_id text not null,
  environment text not null,
  user_id uuid not null,
  -- As the user's row has them: whoever changes them there changes them here in the same transaction.
  roles text[] not null,
  -- The claim `gen`; a change of roles raises it and revokes what is below.
  generation integer not null default 1,
  -- SHA-256 of the refresh token that is good, and of the one before it.
  refresh_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  -- When it ends unless it is used, and when it ends in any case.
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  -- By then every access token of it has expired.
  access_expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text
) with (fillfactor = 70);

create index session_by_user on session (project_id, environment, user_id);

-- Access tokens that are refused before they expire. Redis and the topic have copies.
create table revocation (
  session_id uuid primary key,
  project_id text not null,
  environment text not null,
  -- Refused are tokens whose claim `gen` is lower.
  min_generation integer not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz not null default clock_timestamp(),
  -- null: Redis may not have it yet.
  copied_at timestamptz
);

create index revocation_by_expiry on revocation (expires_at);
create index revocation_to_copy on revocation (revoked_at) where copied_at is null;

-- Down Migration

drop table revocation;
drop table session;
drop table signing_key;
