-- Up Migration

-- The recipients whose last alert was given up: {"<recipient>": {"at", "reason"}}.
alter table environment add column notify_failures jsonb not null default '{}';

-- Down Migration

alter table environment drop column notify_failures;
