-- Up Migration

-- An older version publishes states without cancellations, too. They must not vanish from the topic:
-- dispatchers would send what was cancelled. It may change a subscription with a name: only
-- `surehook reconcile` reads names from the topic, and the next newer relay publishes them again.
create or replace function policy_guard() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('surehook.knows_policy', true), '') <> 'on' then
    raise exception 'this version does not know the policy or cancellations of this subscription: a newer one changes it';
  end if;
  return new;
end $$;

create or replace trigger policy_guard before update on subscription
  for each row when (old.policy is not null or old.cancellations <> '[]')
  execute function policy_guard();

-- Down Migration

create or replace trigger policy_guard before update on subscription
  for each row when (old.policy is not null) execute function policy_guard();
