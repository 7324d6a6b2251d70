-- Up Migration

-- What the project says of the user, by name. Not jsonb, which would write 1e-300 with 300 digits:
-- the text stays within its 2 KiB.
alter table user_account add column attributes json not null default '{}';

-- Down Migration

alter table user_account drop column attributes;
