-- Up Migration

-- Locks: the history for as long as the indexes take, about 10 s for each million rows; whoever follows the topics
-- waits, and goes on from there.

alter table delivery
  -- Of the change. Null: the version that made the job did not tell.
  add column record_id text collate "C",
  -- Bits 0 to 30: attempts that are in attempt_stats, by number; bit 30: an end without an attempt. Bits 31 to 61: the
  -- same before the last write, so that whoever wrote knows which attempts were new.
  add column counted bigint not null default 0;

-- All of an environment in the order in which it is shown. A hash: names would make each entry three times as long.
create index delivery_of_tenant on delivery
  (hashtext(project_id || '/' || environment), day desc, created_at desc);
-- Few rows are not delivered, and most of those are asked for.
create index delivery_undelivered on delivery
  (hashtext(project_id || '/' || environment), day desc, created_at desc)
  where status <> 'delivered';
-- Ids of new records are the highest: where they stand is at hand. A hash would cost five times as much.
create index delivery_of_record on delivery (record_id, day desc, created_at desc)
  where record_id is not null;

-- What became of the attempts of a subscription, by five minutes.
create table attempt_stats (
  subscription_id uuid not null,
  at timestamptz not null,
  attempts integer not null,
  delivered integer not null,
  retrying integer not null,
  dead_letter integer not null,
  cancelled integer not null,
  -- Numbers of attempts by class of duration: class * 2^24 + number. A class may be there more than once.
  latencies integer[] not null,
  primary key (subscription_id, at)
) with (fillfactor = 50);

create index attempt_stats_age on attempt_stats (at);

-- Down Migration

drop table attempt_stats;
drop index delivery_of_record;
drop index delivery_undelivered;
drop index delivery_of_tenant;
alter table delivery drop column counted, drop column record_id;
