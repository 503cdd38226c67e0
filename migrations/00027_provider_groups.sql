-- +goose Up

-- Groups of identities that an admin has merged as one person. A new identity with the
-- same NPI (a keyed hash, empty without an NPI) and the same name (birth.NameKey) joins
-- the provider.
create table provider_groups (
  practice integer not null references practices (id),
  npi blob not null,
  name text not null,
  provider integer not null references providers (id),
  primary key (practice, npi, name)
) strict, without rowid;

create index provider_groups_provider on provider_groups (provider);
