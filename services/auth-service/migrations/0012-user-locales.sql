-- Up Migration

-- The language of mails to the user, one that this service ships. null: the environment's language.
alter table user_account add column locale text;

-- Down Migration

alter table user_account drop column locale;
