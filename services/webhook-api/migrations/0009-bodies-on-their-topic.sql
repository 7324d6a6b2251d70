-- Up Migration

-- The body of a delivery stays on webhook.deliveries for longer than its row: the row says where. A job that
-- webhook-api made itself has the partition -1, and its body in the row, until the log has read it. Both are null
-- where an older version wrote the row, with its body or body_of.
alter table delivery
  add column job_partition integer,
  add column job_offset bigint;

-- An older version takes a row without a body for one that cannot be sent again. It must not go on with a recovery
-- and pass such rows over: whoever can read them says so in its transaction.
create function recovery_guard() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('surehook.reads_job_places', true), '') <> 'on'
    and exists (select from subscription where id = old.subscription_id)
  then
    raise exception 'this version cannot read the bodies of this recovery: a newer one goes on with it';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;

create trigger recovery_guard before update of position_at, position_id or delete on recovery
  for each row execute function recovery_guard();

-- Down Migration

drop trigger recovery_guard on recovery;
drop function recovery_guard;
alter table delivery drop column job_offset, drop column job_partition;
