-- Up Migration

-- Configuration files find a subscription by its key, which was its name. A name is a text for
-- people. Each keeps its name too: a client that is not upgraded yet finds a subscription by it.
alter table subscription add column key text;
alter table subscription add column description text;

-- Locks: the table has a row per subscription, and 10,000 take less than a second.
update subscription set key = name where name is not null;

create unique index subscription_key on subscription (project_id, environment, key)
  where key is not null;

-- Contract: names may repeat. An older replica does not refuse one that another subscription has.
drop index subscription_name;

-- Down Migration

drop index subscription_key;
update subscription set name = key;
create unique index subscription_name on subscription (project_id, environment, name)
  where name is not null;
alter table subscription drop column key, drop column description;
