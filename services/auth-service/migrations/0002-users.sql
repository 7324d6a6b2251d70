-- Up Migration

create table role (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  name text not null,
  -- A client may ask for it at signup.
  self_assignable boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (project_id, environment, name),
  foreign key (project_id, environment) references environment (project_id, name)
);

-- No foreign key to the environment: each signup would lock that one row.
create table user_account (
  -- UUIDv7: in the order of their creation.
  id uuid primary key,
  project_id text not null,
  environment text not null,
  -- Trimmed and in lower case.
  email text not null,
  -- PHC string of argon2id, or bcrypt as imported; null: nobody can log in with a password.
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  roles text[] not null default '{}',
  email_verified boolean not null default false,
  disabled boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- When a public field changed last; it never runs backwards for one user.
  updated_at timestamptz(3) not null default clock_timestamp(),
  unique (project_id, environment, email)
);

create index user_account_in_order on user_account (project_id, environment, id desc);

-- At most one code for each purpose: a new one takes the place of the old.
create table code (
  user_id uuid not null references user_account on delete cascade,
  purpose text not null check (purpose in ('verification', 'recovery')),
  -- HMAC under a key derived from KEY_ENCRYPTION_KEY.
  code_hash bytea not null,
  attempts_left smallint not null,
  expires_at timestamptz not null,
  -- Wrong tries over all codes since `wrong_since`: new codes do not make guessing endless.
  wrong_tries smallint not null default 0,
  wrong_since timestamptz not null default now(),
  primary key (user_id, purpose)
);

create index code_by_expiry on code (expires_at);

-- Mails that are still to be sent; a row goes when its mail is sent or its code has expired.
create table mail_outbox (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  recipient text not null,
  template text not null check (template in ('verification', 'recovery')),
  -- Sealed under KEY_ENCRYPTION_KEY and bound to the row's id.
  sealed_code text not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- A mail with an old code, which nobody has seen yet, is of no use beside one with the new.
  unique (project_id, environment, recipient, template)
);

create index mail_outbox_by_due on mail_outbox (next_attempt_at);

-- Down Migration

drop table mail_outbox;
drop table code;
drop table user_account;
drop table role;
