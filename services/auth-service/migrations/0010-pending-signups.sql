-- Up Migration

-- A signup whose address is not confirmed yet. It goes with the confirmation, or with its account.
create table pending_signup (
  user_id uuid primary key references user_account on delete cascade,
  project_id text not null,
  environment text not null,
  -- null: an administrator made the account, or a version before this table did. It does not expire.
  signed_up_at timestamptz,
  -- The network of the client that signed up; null: not known.
  network text,
  -- Somebody else, from another network, wanted the same address with another password.
  contested boolean not null default false
);

create index pending_signup_by_age on pending_signup (project_id, environment, signed_up_at);

-- Down Migration

drop table pending_signup;
