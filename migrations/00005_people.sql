-- +goose Up

-- The IANA name of the time zone in which a practice's pages show times.
alter table practices add column time_zone text not null default 'UTC';

-- The users. password is an argon2id PHC string, null until the invitation is
-- accepted. totp is the sealed secret of the second factor, and totp_step the last
-- time step whose code was used, so that each code works once.
create table users (
  id integer primary key autoincrement,
  email text not null unique, -- lower case
  name text not null,
  password text,
  totp blob,
  totp_step integer not null default 0,
  created_at integer not null,
  signed_in_at integer,
  disabled_at integer
) strict;

-- The memberships of users in practices. An invitation that is not accepted has no
-- accepted_at: it grants nothing, and the practice sees only what its admin typed,
-- the address and called. used_at is when the user last began to work there.
-- disabled_at ends only this membership; disabled_at of a user is set by the
-- operator and ends all of them.
create table memberships (
  user integer not null references users (id),
  practice integer not null references practices (id),
  role text not null check (role in ('admin', 'provider', 'scribe', 'viewer')),
  called text not null,
  created_at integer not null,
  accepted_at integer,
  used_at integer,
  disabled_at integer,
  primary key (user, practice)
) strict, without rowid;

create index memberships_practice on memberships (practice, user);

-- SHA-256 of the unused recovery codes.
create table recovery_codes (
  user integer not null references users (id),
  hash blob not null,
  primary key (user, hash)
) strict, without rowid;

-- Invitations and resets: one-use links, of which only the SHA-256 is kept. An
-- invitation is for the membership in one practice; a reset is for the whole
-- account and has no practice. A new invitation replaces the earlier ones to that
-- practice, and a new reset the earlier resets.
create table links (
  id integer primary key autoincrement,
  user integer not null references users (id),
  practice integer references practices (id),
  purpose text not null check (purpose in ('invite', 'reset')),
  hash blob not null unique,
  made_by text not null,
  created_at integer not null,
  expires_at integer not null,
  used_at integer,
  check ((purpose = 'invite') = (practice is not null))
) strict;

create index links_user on links (user, id);

create index links_expiry on links (expires_at);

-- Sessions of the pages. token is the hash of the cookie's value; the session's
-- data is sealed. user and practice are null before the sign-in.
create table sessions (
  token text primary key,
  user integer references users (id),
  practice integer references practices (id),
  sealed blob not null,
  agent text not null,
  created_at integer not null,
  seen_at integer not null,
  expires_at integer not null
) strict, without rowid;

create index sessions_user on sessions (user, created_at);

create index sessions_seen on sessions (seen_at);

create index sessions_expiry on sessions (expires_at);
