-- Up Migration

-- The position from which the version applies, as in states on webhook.subscriptions. It replaces
-- lsn, which only an older webhook-api writes. null: that one wrote the version, without selected.
alter table subscription_version add column wal_position text;
alter table subscription_version add column selected text[];

-- Down Migration

alter table subscription_version drop column wal_position, drop column selected;
