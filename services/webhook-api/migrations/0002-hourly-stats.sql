-- Up Migration

-- The sums of attempt_stats by hour. Statistics of seven days read only these.
create table attempt_stats_hour (
  subscription_id uuid not null,
  at timestamptz not null,
  attempts integer not null,
  delivered integer not null,
  retrying integer not null,
  dead_letter integer not null,
  cancelled integer not null,
  -- Counts of attempts by class of duration, each as class * 2^32 + count. A class may appear more
  -- than once.
  latencies bigint[] not null,
  primary key (subscription_id, at)
) with (fillfactor = 50);

create index attempt_stats_hour_age on attempt_stats_hour (at);

insert into attempt_stats_hour
with classes as (
  select subscription_id, date_trunc('hour', at, 'UTC') as hour, (entry >> 24)::bigint as class,
    sum(entry & 16777215)::bigint as count
  from attempt_stats, unnest(latencies) entry group by 1, 2, 3
), durations as (
  select subscription_id, hour, array_agg((class << 32) + count) as latencies
  from classes group by 1, 2
), hours as (
  select subscription_id, date_trunc('hour', at, 'UTC') as hour, sum(attempts) as attempts,
    sum(delivered) as delivered, sum(retrying) as retrying, sum(dead_letter) as dead_letter,
    sum(cancelled) as cancelled
  from attempt_stats group by 1, 2
)
select subscription_id, hour, attempts, delivered, retrying, dead_letter, cancelled,
  coalesce(latencies, '{}')
from hours left join durations using (subscription_id, hour);

-- Down Migration

drop table attempt_stats_hour;
