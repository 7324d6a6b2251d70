-- Up Migration

-- The two codes before the newest, the younger first: each is good until its own hour is over or its own attempts are
-- used. A version that does not know them goes on with the newest alone.
alter table code add column earlier_hashes bytea[] not null default '{}';
alter table code add column earlier_attempts_left smallint[] not null default '{}';
alter table code add column earlier_expire_at timestamptz[] not null default '{}';

-- Down Migration

alter table code drop column earlier_expire_at;
alter table code drop column earlier_attempts_left;
alter table code drop column earlier_hashes;
