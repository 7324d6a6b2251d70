-- Up Migration

-- What it takes to verify a password hash that is not of our own parameters; null: it is.
alter table user_account add column hash_work integer;

-- The dearest of an environment, which every wrong password there has to cost.
create index user_account_by_hash_work on user_account (project_id, environment, hash_work desc)
  where hash_work is not null;

-- Down Migration

alter table user_account drop column hash_work;
