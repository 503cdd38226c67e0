-- +goose Up

-- The certificates that were obtained for the service's host names, and the account
-- used to obtain them (app/certs). Sealed, because they contain private keys.
create table certificates (
  name text primary key,
  sealed blob not null,
  updated_at integer not null
) strict;
