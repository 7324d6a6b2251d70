-- Up Migration

-- When the deletion was asked for; the row goes when every service has deleted what it held.
alter table project add column deleted_at timestamptz(3);
alter table environment add column deleted_at timestamptz(3);

-- Down Migration

alter table environment drop column deleted_at;
alter table project drop column deleted_at;
