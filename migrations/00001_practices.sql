-- +goose Up

create table practices (
  id integer primary key autoincrement,
  name text not null,
  is_sandbox integer not null default 0 check (is_sandbox in (0, 1)),
  ehr_beta integer not null default 0 check (ehr_beta in (0, 1)),
  created_at integer not null
) strict;

-- Only the SHA-256 of a key is kept; prefix is the part by which people recognize it.
create table api_keys (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  label text not null,
  scopes text not null,
  prefix text not null,
  hash blob not null unique,
  minted_by text not null,
  created_at integer not null,
  last_used_at integer,
  revoked_at integer
) strict;

create index api_keys_practice on api_keys (practice, id);

-- The age headers under which rows are sealed (app/seal), and the installation's
-- secrets, which are sealed under these headers.
create table seal_epochs (
  id integer primary key autoincrement,
  header blob not null,
  created_at integer not null
) strict;

create table secrets (
  name text primary key,
  sealed blob not null,
  created_at integer not null
) strict;
