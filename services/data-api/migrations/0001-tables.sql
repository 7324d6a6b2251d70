-- Up Migration

-- The PostgreSQL schema of each environment. The name is a hash of the pair: two pairs with one name
-- would violate the primary key, never share a schema.
create table environment_schema (
  schema_name text primary key,
  project_id text not null,
  environment text not null,
  unique (project_id, environment)
);

-- What each table is: `id` and `version` together stand for exactly these columns. `json`, not
-- `jsonb`: definitions are shown as they were given.
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

-- Puts a change into the WAL, in the transaction that makes it, and gives the record back: it has to
-- be used by the statement that calls it, or PostgreSQL may leave the call out. `head` is the header's
-- JSON up to where the record's id stands in its key.
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

-- Down Migration

drop function capture_change;
drop table table_definition;
drop table environment_schema;
