-- Up Migration

-- The keys of the delivery policy that were set, as DeliveryPolicy of webhook.subscriptions.
-- Headers are encrypted and bound to the row's id. null: all defaults.
alter table subscription add column policy jsonb;

-- An older version publishes states without their policy, so it must not change a row with one. A
-- version that knows policies says so in the setting surehook.knows_policy.
create function policy_guard() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('surehook.knows_policy', true), '') <> 'on' then
    raise exception 'this version does not know the policy of this subscription: a newer one changes it';
  end if;
  return new;
end $$;

create trigger policy_guard before update on subscription
  for each row when (old.policy is not null) execute function policy_guard();

-- Subscriptions that are to be deactivated: the receiver answered 410, and the policy says
-- `deactivate`.
create table gone_subscription (
  subscription_id uuid primary key,
  url text not null,
  gone_at timestamptz not null
);

-- Environments that have, or had, a subscription with its own retry delays. After the environment's
-- deletion, ends_at is the time by which its last job has left the slowest retry topic. Until then
-- its purge is not complete.
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
