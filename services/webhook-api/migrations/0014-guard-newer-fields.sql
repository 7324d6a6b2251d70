-- Up Migration

-- An older version publishes states without name and cancellations, too. They must not vanish from
-- the topic: dispatchers would send what was cancelled, and `surehook reconcile` would restore a
-- subscription without its name.
create or replace function policy_guard() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('surehook.knows_policy', true), '') <> 'on' then
    raise exception 'this version does not know the policy, name or cancellations of this subscription: a newer one changes it';
  end if;
  return new;
end $$;

create or replace trigger policy_guard before update on subscription
  for each row when (old.policy is not null or old.name is not null or old.cancellations <> '[]')
  execute function policy_guard();

-- Down Migration

create or replace trigger policy_guard before update on subscription
  for each row when (old.policy is not null) execute function policy_guard();
