-- Up Migration

-- Locks: the history while the indexes are built, about 10 s for each million rows. The log writers
-- wait meanwhile, and continue afterwards.

alter table delivery
  -- The record of the change. Null: an older version made the job without it.
  add column record_id text collate "C",
  -- Bits 0 to 30: the attempts, by number, that attempt_stats contains. Bit 30: an end without an
  -- attempt. Bits 31 to 61: the same bits before the last write, so that the writer knows which
  -- attempts are new.
  add column counted bigint not null default 0;

-- For searches of a whole environment, in the order of the answer. The index has a hash, because
-- names would make its entries three times as long.
create index delivery_of_tenant on delivery
  (hashtext(project_id || '/' || environment), day desc, created_at desc);
-- For searches of undelivered rows: they are few, and most searches ask for them.
create index delivery_undelivered on delivery
  (hashtext(project_id || '/' || environment), day desc, created_at desc)
  where status <> 'delivered';
-- For searches of a record. New ids are the highest, so inserts stay on recently used pages. A hash
-- would make them five times as expensive.
create index delivery_of_record on delivery (record_id, day desc, created_at desc)
  where record_id is not null;

-- The results of a subscription's attempts, in buckets of five minutes.
create table attempt_stats (
  subscription_id uuid not null,
  at timestamptz not null,
  attempts integer not null,
  delivered integer not null,
  retrying integer not null,
  dead_letter integer not null,
  cancelled integer not null,
  -- Counts of attempts by class of duration, each as class * 2^24 + count. A class may appear more
  -- than once.
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
