-- Up Migration

-- Configuration files find a subscription by its name. null: it has none.
-- Locks: the table has a row per subscription.
alter table subscription add column name text;

create unique index subscription_name on subscription (project_id, environment, name)
  where name is not null;

-- Down Migration

drop index subscription_name;
alter table subscription drop column name;
