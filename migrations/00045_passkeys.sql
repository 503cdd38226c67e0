-- +goose Up

-- The passkeys of users (decision 56). credential is the ID that the authenticator chose,
-- public_key a SubjectPublicKeyInfo (DER). flags are those of the authenticator's last answer. name is what the user entered, sealed.
create table passkeys (
  id integer primary key autoincrement,
  user integer not null references users (id),
  credential blob not null unique,
  public_key blob not null,
  sign_count integer not null,
  flags integer not null,
  name blob not null,
  created_at integer not null,
  used_at integer
) strict;

create index passkeys_user on passkeys (user, id);
