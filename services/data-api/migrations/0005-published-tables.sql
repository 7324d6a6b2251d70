-- Up Migration

-- What tables there are, for those that hold a view of them: in the WAL with the change itself,
-- whichever statement makes it. Header and body as `emit` writes them; an empty body ends the state.
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

create trigger table_published after insert or update or delete on table_definition
for each row execute function publish_table();

-- Those that there are already.
select table_message(t, false) from table_definition t;

-- Down Migration

drop trigger table_published on table_definition;
drop function publish_table;
drop function table_message;
