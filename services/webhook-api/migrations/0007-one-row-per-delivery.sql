-- Up Migration

-- A delivery is one row: with the bytes that it sends, and a line for each of its attempts, the JSON of
-- [step, at, attempt, status, url, httpStatus, latencyMs, errorClass, errorMessage, answer]. A line may be
-- there more than once.
alter table delivery
  add column body bytea,
  -- The delivery of the same day whose bytes these are too; that one may name another in turn.
  add column body_of uuid,
  add column attempt_log text;

update delivery d set
  body = (select b.body from delivery_body b where b.day = d.day and b.delivery_id = d.id),
  attempt_log = (
    select string_agg(json_build_array(step, (extract(epoch from at) * 1000)::bigint, attempt, status,
      url, http_status, latency_ms, error_class, error_message, answer)::text || E'\n', '' order by step, at)
    from delivery_attempt a where a.day = d.day and a.delivery_id = d.id);

drop table delivery_attempt;
drop table delivery_body;

-- All of a subscription is read status by status; an event's delivery has an id that is made of the
-- event's, and what was sent again has that id as its `webhook_id`.
drop index delivery_newest;
drop index delivery_by_event;
create index delivery_sent_again on delivery (webhook_id) where redelivery_of is not null;

-- Down Migration

drop index delivery_sent_again;
create index delivery_newest on delivery (subscription_id, day desc, created_at desc, id desc);
create index delivery_by_event on delivery (subscription_id, event_id);

create table delivery_body (
  day date not null,
  delivery_id uuid not null,
  body bytea not null,
  primary key (day, delivery_id)
) partition by range (day);

create table delivery_attempt (
  day date not null,
  delivery_id uuid not null,
  step integer not null,
  at timestamptz not null,
  attempt integer not null,
  status text not null,
  url text not null,
  http_status integer,
  latency_ms integer,
  error_class text,
  error_message text,
  answer text,
  primary key (day, delivery_id, step, at)
) partition by range (day);

-- Bodies and attempts are not put back: they can be read again from the topics.
alter table delivery drop column attempt_log, drop column body_of, drop column body;
