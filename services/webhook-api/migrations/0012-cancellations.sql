-- Up Migration

-- Cancellations by request: [{ "status", "until", "askedAt" }]. Times are epoch milliseconds.
alter table subscription add column cancellations jsonb not null default '[]';

-- Down Migration

alter table subscription drop column cancellations;
