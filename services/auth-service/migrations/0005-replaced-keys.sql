-- Up Migration

-- Raised when the keys of the environment are replaced at once. It is read with each request: no replica goes on
-- with keys that it remembers from before.
alter table environment add column key_epoch integer not null default 0;

-- Down Migration

alter table environment drop column key_epoch;
