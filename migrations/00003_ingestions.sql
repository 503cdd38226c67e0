-- +goose Up

-- id is the order in which submissions were acknowledged; public_id is what
-- callers see. idempotency is a keyed hash of the Idempotency-Key.
create table ingestions (
  id integer primary key autoincrement,
  public_id text not null unique,
  practice integer not null references practices (id),
  api_key integer references api_keys (id),
  idempotency blob,
  status text not null default 'queued' check (status in ('queued', 'processing', 'completed', 'failed')),
  size integer not null,
  attempts integer not null default 0,
  items integer not null default 0,
  accepted integer,
  rejected integer,
  outcome blob,
  exception text,
  correlation_id text,
  created_at integer not null,
  completed_at integer
) strict;

create unique index ingestions_idempotency on ingestions (practice, idempotency)
where idempotency is not null;

create index ingestions_unfinished on ingestions (practice, id)
where status in ('queued', 'processing');

-- The submitted Bundle, compressed and sealed, in parts of one MiB of its
-- text: the parts of ingestion i have the ids i * 4096 and up. They are deleted
-- when the ingestion ends.
create table buffers (
  id integer primary key,
  sealed blob not null
) strict;

-- The progress of a batch, one row per chunk: the sealed receipt entries of items
-- first to next-1. They are deleted when the receipt is assembled.
create table ledger (
  ingestion integer not null references ingestions (id),
  first integer not null,
  next integer not null,
  accepted integer not null,
  rejected integer not null,
  sealed blob not null,
  primary key (ingestion, first)
) strict;
