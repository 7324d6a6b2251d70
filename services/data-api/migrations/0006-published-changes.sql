-- Up Migration

-- Ids of changes that were published over HTTP, kept for a day: a known id publishes nothing. Rows
-- are deleted one by one all the time, so the table needs frequent vacuums.
create table published_change (
  project_id text not null,
  environment text not null,
  id uuid not null,
  -- A hash of the change as it was sent.
  fingerprint bytea not null,
  repetitions integer not null default 0,
  published_at timestamptz not null default clock_timestamp(),
  primary key (project_id, environment, id)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index published_change_published_at on published_change (published_at);

-- Writes a published change into the WAL, in the transaction that keeps its id. If a change has a
-- fault, the function ends the statement with all its changes. DETAIL then names the change's place
-- and the field. `head` is the header's JSON without its closing brace. A change without a time
-- gets the current time.
create function publish_change(
  place bigint, fault text, is_new boolean, head text, at text, record text)
returns boolean language plpgsql volatile as $$
begin
  if fault is not null then
    raise exception 'a change cannot be published' using errcode = 'SH409', detail = place || ' ' || fault;
  end if;
  if is_new then
    perform pg_logical_emit_message(true, 'surehook/data-api', concat(
      head, ',"timestamp":"',
      coalesce(at, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
      '"}', chr(10), record
    ));
  end if;
  return is_new;
end
$$;

-- Down Migration

drop function publish_change;
drop table published_change;
