-- Up Migration

-- Who sends takes turns over tenants and finds the next one, and its earliest mail, here.
-- Locks: the table for as long as the index takes; it holds only mails that are still to be sent.
create index mail_outbox_by_tenant on mail_outbox (project_id, environment, next_attempt_at);

-- Down Migration

drop index mail_outbox_by_tenant;
