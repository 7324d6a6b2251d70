-- Up Migration

-- Streams to users need to know who may read which records of a table. The time of its creation
-- tells it from an earlier table of its name.
create or replace function table_message(definition table_definition, is_dropped boolean)
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
      to_char(definition.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'access', coalesce(definition.access -> 'read', '[]')::text,
      'createdAt',
      to_char(definition.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )::text end))
$$;

-- False until a data-api that relays both has published the table: an older one leaves them out.
alter table table_definition add column access_published boolean not null default false;

-- Down Migration

alter table table_definition drop column access_published;
create or replace function table_message(definition table_definition, is_dropped boolean)
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
