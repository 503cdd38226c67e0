-- +goose Up

-- The webhooks of API keys (decision 55): the address and the secret, sealed together; null once
-- the webhook is turned off.
create table webhooks (
  api_key integer primary key references api_keys (id),
  practice integer not null references practices (id),
  sealed blob,
  set_at integer not null
) strict;

create index webhooks_practice on webhooks (practice);

-- The notices that ingestions have ended, one for each. An ingestion ends once, so its id is
-- also the id of the message. They are not queue messages: a receive walks over messages that
-- wait for a later time, and a receiver that is down leaves many.
create table deliveries (
  ingestion integer primary key references ingestions (id),
  practice integer not null references practices (id),
  api_key integer not null references api_keys (id),
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given-up')),
  attempts integer not null default 0,
  due_at integer not null,
  tried_at integer,
  answer integer,
  problem text,
  ended_at integer not null
) strict;

create index deliveries_due on deliveries (api_key, state, due_at);

create index deliveries_practice on deliveries (practice);

create index deliveries_key on deliveries (api_key, ingestion);
