-- +goose Up

-- The EHRs that may launch the service: the allow-list (spec, "EHR-launch
-- (pull) lane"). issuer is the FHIR base URL in its normal form. Without a
-- client_id the EHR is listed but not registered yet. hosts are the further
-- hosts that its endpoints and pages may be on; scopes and aud, when not empty,
-- replace the service's defaults; frames are the origins that may show the page
-- of an embedded launch. The members of lists are separated by spaces.
create table ehrs (
  id integer primary key autoincrement,
  issuer text not null unique,
  label text not null,
  client_id text,
  auth text not null check (auth in ('public', 'secret', 'key')),
  secret blob, -- sealed
  hosts text not null default '',
  scopes text not null default '',
  aud text not null default '',
  frames text not null default '',
  practice integer references practices (id), -- the one whose people may use it
  created_at integer not null,
  check ((auth = 'secret') = (secret is not null))
) strict;

-- Launches in progress: the hashes of state and of the browser's cookie, with the
-- data that the callback needs, sealed. A launch is deleted when it is used.
create table launches (
  state blob primary key,
  browser blob not null,
  sealed blob not null,
  created_at integer not null
) strict, without rowid;

create index launches_age on launches (created_at);

-- Charts that wait for the form, sealed, by the hash of their handle. owner is the
-- user who opened the chart first; nobody else can open it.
create table prefills (
  handle blob primary key,
  owner integer references users (id),
  sealed blob not null,
  created_at integer not null
) strict, without rowid;

create index prefills_age on prefills (created_at);

-- The keys with which the service signs at token endpoints, sealed. kid is the
-- thumbprint of the public half (RFC 7638).
create table client_keys (
  kid text primary key,
  sealed blob not null,
  created_at integer not null
) strict, without rowid;
