-- Up Migration

alter table subscription
  add column disabled_at timestamptz,
  add column disabled_reason text;

-- Subscriptions of which every attempt failed since the last success: their first and last failure.
create table failing_subscription (
  subscription_id uuid primary key,
  failing_since timestamptz not null,
  failed_at timestamptz not null
);

-- Down Migration

drop table failing_subscription;
alter table subscription drop column disabled_at, drop column disabled_reason;
