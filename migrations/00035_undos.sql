-- +goose Up

-- An import that somebody takes back (app/imports/undo.go): one row from the request
-- on. The items of its ingestion below next are done. voided, restored and kept count
-- the records that were voided, that got back their content from before the import, and
-- that stay as they are.
create table undos (
  import integer primary key references imports (id),
  practice integer not null references practices (id),
  user integer references users (id),
  next integer not null default 0,
  voided integer not null default 0,
  restored integer not null default 0,
  kept integer not null default 0,
  started_at integer not null,
  ended_at integer
) strict;

create index undos_unfinished on undos (import) where ended_at is null;

create index undos_practice on undos (practice);

-- The records that stay as they are: changed since the import, decided on in a review
-- of duplicates, or not readable.
create table undo_kept (
  import integer not null references undos (import),
  item integer not null,
  record integer not null references records (id),
  reason text not null check (reason in ('changed', 'reviewed', 'unreadable')),
  primary key (import, item)
) strict, without rowid;

create index undo_kept_record on undo_kept (record);
