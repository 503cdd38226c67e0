-- +goose Up

-- A CSV file is processed like a submitted Bundle, by the same queue. kind tells
-- them apart; total is the number of items (courses of care) in the file.
alter table ingestions add column kind text not null default 'bundle' check (kind in ('bundle', 'csv'));
alter table ingestions add column user integer references users (id);
alter table ingestions add column total integer not null default 0;

create index ingestions_practice on ingestions (practice, kind, id);

-- An uploaded CSV file: previewed, then confirmed or dropped. about is sealed:
-- the file's name and the result of the preview.
create table imports (
  id integer primary key autoincrement,
  public_id text not null unique, -- that of its ingestion, too
  practice integer not null references practices (id),
  user integer references users (id), -- null when the operator's command made it
  rows integer not null,
  size integer not null, -- of the file, in bytes
  about blob not null,
  ingestion integer references ingestions (id), -- once confirmed
  kept integer not null default 1 check (kept in (0, 1)), -- the file is still there
  created_at integer not null
) strict;

create index imports_practice on imports (practice, id);

create index imports_unconfirmed on imports (practice, id) where ingestion is null;

create index imports_kept on imports (created_at) where kept = 1;

-- The file, compressed and sealed like a buffer: the parts of import i have the
-- ids i * 4096 and up. The import reads them in place. They are kept for a day,
-- for the preview and the error file.
create table import_parts (
  id integer primary key,
  sealed blob not null
) strict;
