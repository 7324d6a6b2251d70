-- Up Migration

-- The PostgreSQL schema of each environment. The name is a hash of project and environment. Two
-- environments with one name would violate the primary key, and never share a schema.
create table environment_schema (
  schema_name text primary key,
  project_id text not null,
  environment text not null,
  unique (project_id, environment)
);

-- The tables of tenants. `id` and `version` together identify one set of columns. `json`, not
-- `jsonb`, keeps a definition as it was sent.
create table table_definition (
  id bigint generated always as identity primary key,
  project_id text not null,
  environment text not null,
  name text not null,
  schema_name text not null references environment_schema,
  version integer not null default 1,
  columns json not null,
  access json not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  unique (project_id, environment, name)
);

-- Writes the state of a table to the WAL, as `emit` does: header, newline, body. An empty body ends
-- the state.
create function table_message(definition table_definition, is_dropped boolean)
returns pg_lsn language sql volatile as $$
  select pg_logical_emit_message(true, 'surehook/data-api', concat(
    json_build_object('topic', 'platform.tables', 'key',
      concat_ws('/', definition.project_id, definition.environment, definition.name)),
    chr(10),
    case when is_dropped then '' else json_build_object(
      'projectId', definition.project_id,
      'environment', definition.environment,
      'name', definition.name,
      'columns', (
        select coalesce(json_agg(json_build_object('name', c ->> 'name', 'type', c ->> 'type')), '[]')
        from json_array_elements(definition.columns) c),
      'updatedAt',
      to_char(definition.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )::text end))
$$;

create function publish_table() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then perform table_message(old, true);
  else perform table_message(new, false);
  end if;
  return null;
end
$$;

-- A trigger, so that every statement that changes a table publishes it in its transaction.
create trigger table_published after insert or update or delete on table_definition
for each row execute function publish_table();

-- Writes the change of a record to the WAL, in the transaction of the change, and returns the
-- record. The calling statement must use the result, or PostgreSQL may leave out the call. `head`
-- is the JSON of the header up to the record's id in the key.
create function capture_change(head text, record_id uuid, changed text[], at timestamptz, record text)
returns text language plpgsql volatile as $$
begin
  if octet_length(record) > 262144 then
    raise exception 'a record has at most 256 KiB' using errcode = 'SH413';
  end if;
  perform pg_logical_emit_message(true, 'surehook/data-api', concat(
    head, record_id,
    '","recordId":"', record_id,
    '","timestamp":"', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    '","changedFields":', array_to_json(changed),
    '}', chr(10), record
  ));
  return record;
end
$$;

-- Keys of writes and their answers, kept for a day. Rows are deleted one by one all the time, so
-- the table needs frequent vacuums.
create table idempotency_key (
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (scope, key)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index idempotency_key_created_at on idempotency_key (created_at);

-- Ids of changes that were published over HTTP, kept for a day: a known id publishes nothing.
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

-- Writes a published change to the WAL, in the transaction that stores its id. If a change has a
-- fault, the function ends the statement with all its changes. DETAIL then names the change's
-- position and the field. `head` is the JSON of the header without its closing brace. A change
-- without a time gets the current time.
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
drop table idempotency_key;
drop function capture_change;
drop trigger table_published on table_definition;
drop function publish_table;
drop function table_message;
drop table table_definition;
drop table environment_schema;
