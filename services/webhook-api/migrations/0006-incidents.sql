-- Up Migration

-- Webhooks in trouble: their deliveries were paused because the circuit was open, or became dead
-- letters. The row ends when deliveries have succeeded for some time.
create table incident (
  subscription_id uuid primary key,
  project_id text not null,
  environment text not null,
  began_at timestamptz not null,
  -- When each kind of trouble began. null: it did not.
  circuit_opened_at timestamptz,
  dead_letter_at timestamptz,
  -- The last trouble and the last success.
  failed_at timestamptz not null,
  succeeded_at timestamptz,
  -- What people were told.
  circuit_told boolean not null default false,
  dead_letter_told boolean not null default false
);
create index incident_by_environment on incident (project_id, environment);

-- When the people of an environment got their last alert.
create table alert_digest (
  project_id text not null,
  environment text not null,
  sent_at timestamptz not null,
  primary key (project_id, environment)
);

-- Down Migration

drop table alert_digest;
drop table incident;
