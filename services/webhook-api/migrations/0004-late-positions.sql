-- Up Migration

-- The day under which the delivery at the position of a recovery is filed. null: an older
-- webhook-api has written the position.
alter table recovery add column position_day date;

-- Versions of an older webhook-api, which each replica looks for once a minute.
-- Locks: writes of subscriptions wait for one scan, about a second for two million versions.
create index subscription_version_incomplete on subscription_version (subscription_id)
  where wal_position is null;

-- Down Migration

drop index subscription_version_incomplete;
alter table recovery drop column position_day;
