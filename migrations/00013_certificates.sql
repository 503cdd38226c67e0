-- +goose Up

-- The certificates that were obtained for the service's own names, and the
-- account they were obtained with (app/certs). Sealed: they hold private keys.
create table certificates (
  name text primary key,
  sealed blob not null,
  updated_at integer not null
) strict;
