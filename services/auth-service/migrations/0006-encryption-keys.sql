-- Up Migration

-- Since when everything new is made under a key: the first time that somebody had all sealed anew under it.
create table encryption_key (
  -- Says which one it is, and nothing about it.
  key_id text primary key,
  since timestamptz(3) not null default clock_timestamp()
);

-- Down Migration

drop table encryption_key;
