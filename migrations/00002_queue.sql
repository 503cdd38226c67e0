-- +goose Up

-- goqite's own schema (maragu.dev/goqite v0.4.0, schema_sqlite.sql).
create table goqite (
  id text primary key default ('m_' || lower(hex(randomblob(16)))),
  created text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  updated text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  queue text not null,
  body blob not null,
  timeout text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  received integer not null default 0,
  priority integer not null default 0
) strict;

-- +goose StatementBegin
create trigger goqite_updated_timestamp after update on goqite begin
  update goqite set updated = strftime('%Y-%m-%dT%H:%M:%fZ') where id = old.id;
end;
-- +goose StatementEnd

create index goqite_queue_priority_created_idx on goqite (queue, priority desc, created);

-- The practice queues. A practice with unfinished ingestions has one row and one
-- queue message, which announces all of them. From advanced_at, the health check
-- computes for how long the practice's queue has not advanced.
create table lanes (
  practice integer primary key references practices (id),
  message text not null unique,
  advanced_at integer not null
) strict;
