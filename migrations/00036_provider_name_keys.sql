-- +goose Up
-- A person types a provider's name, in any case and order: by its words it is found. name
-- is birth.NameKey, which SQL cannot compute: the program lends name_key.
create table provider_names (
  practice integer not null references practices (id),
  name text not null,
  provider integer not null references providers (id),
  primary key (practice, name, provider)
) strict, without rowid;

create index provider_names_provider on provider_names (provider);

insert into provider_names (practice, name, provider)
select practice, name_key(name), id from providers where name_key(name) <> '';
