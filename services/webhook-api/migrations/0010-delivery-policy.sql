-- Up Migration

-- What was set of the delivery policy, as DeliveryPolicy of webhook.subscriptions; its headers are sealed for this
-- row's id. null: all defaults.
alter table subscription add column policy jsonb;

-- An older version tells the dispatchers a state without its policy. It must not change such a row: whoever knows
-- policies says so in the statement.
create function policy_guard() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('surehook.knows_policy', true), '') <> 'on' then
    raise exception 'this version does not know the policy of this subscription: a newer one changes it';
  end if;
  return new;
end $$;

create trigger policy_guard before update on subscription
  for each row when (old.policy is not null) execute function policy_guard();

-- Subscriptions whose receiver answered 410 and whose policy says to deactivate them then: what is still to be done.
create table gone_subscription (
  subscription_id uuid primary key,
  url text not null,
  gone_at timestamptz not null
);

-- Environments that have, or had, a subscription with retry delays of its own. Once the environment is deleted: when
-- the last of its jobs has left the slowest retry topic. Until then its purge is not complete.
create table long_retries (
  project_id text not null,
  environment text not null,
  ends_at timestamptz,
  primary key (project_id, environment)
);

-- Down Migration

drop table long_retries;
drop table gone_subscription;
drop trigger policy_guard on subscription;
drop function policy_guard;
alter table subscription drop column policy;
