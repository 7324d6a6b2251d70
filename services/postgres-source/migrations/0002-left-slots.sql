-- Up Migration

-- A slot in the database of a project that no source needs any more, until it is dropped there.
create table left_slot (
  id uuid primary key default gen_random_uuid(),
  -- The source that had it: it names the slot, and is the context of the encrypted URL. The source
  -- may still exist, in another cluster.
  source_id uuid not null,
  project_id text not null,
  environment text not null,
  name text not null,
  url text not null,
  ca text,
  attempts integer not null default 0,
  due_at timestamptz not null,
  give_up_at timestamptz not null
);
create index left_slot_due on left_slot (due_at);
create index left_slot_environment on left_slot (project_id, environment);

-- Down Migration

drop table left_slot;
