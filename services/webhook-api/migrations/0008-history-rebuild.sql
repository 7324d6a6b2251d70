-- Up Migration

-- Rebuilds of the delivery history from its topics: the one that is under way, and those that were.
create table history_rebuild (
  id uuid primary key,
  state text not null check (state in ('asked', 'emptied', 'reading', 'done')),
  -- [{ "topic", "partition", "from", "to" }]: what is still to be read.
  spans jsonb not null default '[]',
  records bigint not null default 0,
  records_in_all bigint not null default 0,
  oldest_at timestamptz,
  asked_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- Nobody else works on it before.
  due_at timestamptz not null default clock_timestamp(),
  -- Whoever took it last: nobody else may go on with what was begun then.
  taken_by uuid
);

create unique index history_rebuild_one on history_rebuild ((true)) where state <> 'done';

-- Down Migration

drop table history_rebuild;
