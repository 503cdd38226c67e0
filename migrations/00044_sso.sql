-- +goose Up

-- The identity providers with which people may sign in (OpenID Connect; decision 56). The secret
-- is sealed, and null for a public client. slug is the name in addresses. domains are the only
-- domains of email addresses that the provider may vouch for, separated by spaces; '' for any.
create table sso_providers (
  id integer primary key autoincrement,
  name text not null,
  slug text not null unique,
  issuer text not null unique,
  client_id text not null,
  secret blob,
  domains text not null default '',
  created_at integer not null
) strict;

-- Which account a provider's subject signs in to. Only the SHA-256 of the subject is kept. An
-- account has one subject of a provider, so that a former user's address, given to somebody
-- else, leads nowhere.
create table sso_links (
  id integer primary key autoincrement,
  provider integer not null references sso_providers (id),
  subject blob not null,
  user integer not null references users (id),
  linked_at integer not null,
  mac blob,
  unique (provider, subject)
) strict;

create unique index sso_links_user on sso_links (user, provider);

-- The practices whose users sign in with one provider only.
create table sso_only (
  practice integer primary key references practices (id),
  provider integer not null references sso_providers (id),
  set_at integer not null
) strict;

create index sso_only_provider on sso_only (provider);
