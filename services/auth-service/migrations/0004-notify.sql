-- Up Migration

-- Who is told about failing webhooks: only the settings that were set.
alter table environment add column notify_overrides jsonb not null default '{}';
-- The time of the last alert that was queued. A repeated or earlier one is dropped.
alter table environment add column alerted_at timestamptz(3);

-- Down Migration

alter table environment drop column notify_overrides, drop column alerted_at;
