-- Up Migration

-- Whether the tables of an older version, which had the history in this database, have rows that
-- are still to be moved. `prepare database` and webhook-api ask it.
create function has_older_history() returns boolean language sql stable as $$
  select exists (select from delivery)
    or exists (select from attempt_stats)
    or exists (select from attempt_stats_hour)
$$;

-- Down Migration

drop function has_older_history();
