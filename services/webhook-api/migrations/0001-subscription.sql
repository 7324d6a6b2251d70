-- Up Migration

create table subscription (
  id uuid primary key,
  project_id text not null,
  environment text not null,
  watched_table text not null,
  events text[] not null,
  url text not null,
  active boolean not null,
  -- The filter as JSON text; null: every record matches.
  filter text,
  -- null: every field is sent.
  selected text[],
  -- [{ "ciphertext", "validUntil" }], the current secret first, each sealed for this row's id.
  secrets jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index subscription_newest on subscription (project_id, environment, created_at desc, id desc);

-- Down Migration

drop table subscription;
