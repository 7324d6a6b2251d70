-- Up Migration

-- null: all rights, also those of later releases
alter table management_token add column rights text[];

-- Down Migration

alter table management_token drop column rights;
