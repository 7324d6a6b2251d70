-- Up Migration

-- The limits of the data and webhook APIs that the environment sets itself. Versions before ignore
-- the column; the settings that they publish have no limits, which means the defaults.
alter table environment add column limit_overrides jsonb not null default '{}';

-- Down Migration

alter table environment drop column limit_overrides;
