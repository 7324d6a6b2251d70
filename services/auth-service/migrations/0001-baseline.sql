-- Up Migration

create table project (
  id text primary key,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- The time of the request to delete it. The row goes when every service has deleted its data.
  deleted_at timestamptz(3)
);

create table environment (
  project_id text not null references project (id),
  name text not null,
  -- Only the settings that were set. The others follow the defaults of the running version.
  auth_overrides jsonb not null default '{}',
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- Raised when the keys of the environment are replaced at once. Each request reads it, so no
  -- replica uses old keys from its memory.
  key_epoch integer not null default 0,
  deleted_at timestamptz(3),
  -- The limits of the data and webhook APIs that were set.
  limit_overrides jsonb not null default '{}',
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
  expires_at timestamptz,
  -- null: all rights, also those of later releases
  rights text[]
);

create index management_token_by_project on management_token (project_id, created_at desc, id desc);

create table role (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  name text not null,
  -- Clients may choose it at signup.
  self_assignable boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (project_id, environment, name),
  foreign key (project_id, environment) references environment (project_id, name)
);

-- No foreign key to the environment: each signup would lock that one row.
create table user_account (
  -- UUIDv7: sorts by creation
  id uuid primary key,
  project_id text not null,
  environment text not null,
  -- Trimmed and in lower case.
  email text not null,
  -- PHC string of argon2id, or an imported bcrypt hash. null: no login with a password.
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  roles text[] not null default '{}',
  email_verified boolean not null default false,
  disabled boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The last change of a public field. It never runs backwards for one user.
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- The cost of verifying an imported hash. null: the hash has the parameters of this service.
  hash_work integer,
  -- The language of mails to the user. null: the environment's language.
  locale text,
  unique (project_id, environment, email)
);

create index user_account_in_order on user_account (project_id, environment, id desc);
-- Finds the costliest hash of an environment: every wrong password there costs as much.
create index user_account_by_hash_work on user_account (project_id, environment, hash_work desc)
  where hash_work is not null;

-- A signup whose address is not confirmed. The row goes with the confirmation or the account.
create table pending_signup (
  user_id uuid primary key references user_account on delete cascade,
  project_id text not null,
  environment text not null,
  -- null: an administrator made the account, which does not expire.
  signed_up_at timestamptz,
  -- The network of the client that signed up. null: unknown.
  network text,
  -- A client in another network asked for the same address with another password.
  contested boolean not null default false
);

create index pending_signup_by_age on pending_signup (project_id, environment, signed_up_at);

-- The codes of one purpose: the newest, and the two before it.
create table code (
  user_id uuid not null references user_account on delete cascade,
  purpose text not null check (purpose in ('verification', 'recovery')),
  -- HMAC under a key derived from KEY_ENCRYPTION_KEY.
  code_hash bytea not null,
  attempts_left smallint not null,
  expires_at timestamptz not null,
  -- Wrong tries over all codes since `wrong_since`, because a new code must not allow more guesses.
  wrong_tries smallint not null default 0,
  wrong_since timestamptz not null default now(),
  -- The two earlier codes, the newer first. Each has its own expiry and attempts.
  earlier_hashes bytea[] not null default '{}',
  earlier_attempts_left smallint[] not null default '{}',
  earlier_expire_at timestamptz[] not null default '{}',
  primary key (user_id, purpose)
);

create index code_by_expiry on code (expires_at);

-- Mails to be sent. A row goes when its mail is sent or its code has expired.
create table mail_outbox (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  recipient text not null,
  template text not null,
  -- Encrypted under KEY_ENCRYPTION_KEY, and bound to the row's id.
  sealed_code text not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- An unsent mail with an older code is useless beside one with a newer code.
  unique (project_id, environment, recipient, template)
);

create index mail_outbox_by_due on mail_outbox (next_attempt_at);
-- The sender takes turns over tenants: this finds the next tenant and its earliest mail.
create index mail_outbox_by_tenant on mail_outbox (project_id, environment, next_attempt_at);

-- The time of the user's last notice of each kind. Notices of locks and of reused tokens go out at
-- most once an hour.
create table sent_notice (
  user_id uuid not null references user_account on delete cascade,
  template text not null,
  sent_at timestamptz not null default now(),
  primary key (user_id, template)
);

create table signing_key (
  project_id text not null,
  environment text not null,
  kid text not null,
  use text not null check (use in ('sig', 'enc')),
  -- The members n and e of the public JWK.
  public_key jsonb not null,
  -- PKCS #8, encrypted under KEY_ENCRYPTION_KEY and bound to this row.
  sealed_private_key text not null,
  -- The longest lifetime of the access tokens that it signed, in seconds. The key stays until the
  -- last of them has expired.
  longest_ttl integer not null default 0,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Published from created_at, used from here: verifiers may cache the keys for 5 minutes.
  active_from timestamptz(3) not null default clock_timestamp(),
  primary key (project_id, environment, kid)
);

-- The time since which everything new is encrypted under a key: the first re-encryption with it.
create table encryption_key (
  -- Identifies the key and reveals nothing about it.
  key_id text primary key,
  since timestamptz(3) not null default clock_timestamp()
);

-- One row per session, which every refresh updates. No index contains a column that a refresh
-- changes, and each page has free space, so the updates stay HOT.
create table session (
  -- UUIDv7, the claim `sid`
  id uuid primary key,
  project_id text not null,
  environment text not null,
  user_id uuid not null,
  -- A copy of the user's roles. One transaction changes both.
  roles text[] not null,
  -- The claim `gen`. A change of roles raises it and revokes tokens with a lower one.
  generation integer not null default 1,
  -- SHA-256 of the valid refresh token, and of the one before it.
  refresh_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  -- The end if it is not used, and the end in any case.
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  -- Every access token of the session has expired by then.
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
  -- Tokens whose claim `gen` is lower are refused.
  min_generation integer not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz not null default clock_timestamp(),
  -- null: not copied to Redis yet
  copied_at timestamptz
);

create index revocation_by_expiry on revocation (expires_at);
create index revocation_to_copy on revocation (revoked_at) where copied_at is null;

-- Down Migration

drop table revocation;
drop table session;
drop table encryption_key;
drop table signing_key;
drop table sent_notice;
drop table mail_outbox;
drop table code;
drop table pending_signup;
drop table user_account;
drop table role;
drop table management_token;
drop table environment;
drop table project;
