-- Up Migration

-- A table of a source has its rows in another database: no schema here, and the columns that
-- postgres-source finds.
alter table table_definition alter column schema_name drop not null;
alter table table_definition add column source json;
-- When postgres-source found the columns. Earlier ones do not replace them.
alter table table_definition add column columns_at timestamptz;
-- False until a data-api that relays the source has published the table: an older one leaves it out.
alter table table_definition add column source_published boolean not null default false;

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
      to_char(definition.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'source', definition.source
    )::text end))
$$;

-- Down Migration

delete from table_definition where source is not null;
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
alter table table_definition drop column source_published;
alter table table_definition drop column columns_at;
alter table table_definition drop column source;
alter table table_definition alter column schema_name set not null;
