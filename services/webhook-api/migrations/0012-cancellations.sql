-- Up Migration

-- [{ "status", "until", "askedAt" }]: deliveries that were cancelled by request. Times in epoch milliseconds.
alter table subscription add column cancellations jsonb not null default '[]';

-- Down Migration

alter table subscription drop column cancellations;
