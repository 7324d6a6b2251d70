-- Up Migration

-- The time of the user's last notice of each kind. Notices of locks and of reused tokens go out at
-- most once an hour.
create table sent_notice (
  user_id uuid not null references user_account on delete cascade,
  template text not null,
  sent_at timestamptz not null default now(),
  primary key (user_id, template)
);

-- Contract: older versions write only their own templates, and leave the others for newer versions
-- to send.
alter table mail_outbox drop constraint mail_outbox_template_check;

-- Down Migration

delete from mail_outbox where template not in ('verification', 'recovery');
alter table mail_outbox add constraint mail_outbox_template_check
  check (template in ('verification', 'recovery'));
drop table sent_notice;
