-- Up Migration

-- OpenID providers whose access tokens are accepted: [{"issuer", "audience", "rolesClaim", "userIdClaim"}].
alter table environment add column trusted_issuers jsonb not null default '[]';

-- Down Migration

alter table environment drop column trusted_issuers;
