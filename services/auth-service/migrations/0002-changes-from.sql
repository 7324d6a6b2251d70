-- Up Migration

-- Where the environment's records begin on the topic `changes`: the topic's id, and an offset for each
-- partition. Earlier records are of an earlier environment of the same name.
alter table environment add column changes_from jsonb;
