-- +goose Up

-- Custom fields, which a practice adds to its form. FHIR never carries them.
create table custom_fields (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  key text not null, -- the field's name in forms and CSV files is x_ and this
  label text not null,
  kind text not null check (kind in ('text', 'number', 'date', 'bool', 'choice')),
  options text not null default '[]', -- the choices, a JSON list
  position integer not null,
  created_at integer not null,
  retired_at integer
) strict;

create unique index custom_fields_key on custom_fields (practice, key);

create index custom_fields_order on custom_fields (practice, position, id);

-- A record's values in the practice's custom fields, from a version until a later
-- one replaces them: a sealed JSON object.
create table custom_values (
  record integer not null references records (id),
  version integer not null,
  sealed blob not null,
  primary key (record, version)
) strict, without rowid;

-- Who made a version, and why: the user who saved a form or confirmed a file, and
-- the sealed reason of a void or a restore.
alter table versions add column user integer references users (id);
alter table versions add column note blob;

-- What lists and filters need of a record's present content.
alter table records add column source text not null default 'fhir_push';
alter table records add column birth_month text;
alter table records add column attendant text;
alter table records add column method text;
alter table records add column missing integer not null default 0; -- how many key fields are not stated

update records set
  source = (select v.source from versions v where v.record = records.id and v.version = records.content),
  birth_month = (
    select v.clinical ->> '$.children[0].birth_month.value' from versions v
    where v.record = records.id and v.version = records.content
  ),
  attendant = (
    select v.clinical ->> '$.care.attendant_type.value' from versions v
    where v.record = records.id and v.version = records.content
  ),
  method = (
    select v.clinical ->> '$.children[0].delivery_method.value' from versions v
    where v.record = records.id and v.version = records.content
  ),
  missing = (
    select
      (v.clinical -> '$.children[0].birth_weight_g' is null)
      + (v.clinical -> '$.children[0].gestational_age_weeks' is null)
      + (v.clinical -> '$.children[0].delivery_method' is null)
      + (v.clinical -> '$.children[0].birth_month' is null)
      + (v.clinical -> '$.care.attendant_type' is null)
    from versions v
    where v.record = records.id and v.version = records.content
  );

-- Rare states have their own index; common ones are found by walking the list.
create index records_state on records (practice, state, id) where state <> 'active';

create index records_source on records (practice, source, id);

create index records_month on records (practice, birth_month, id);

create index records_attendant on records (practice, attendant, id);

create index records_suspected on records (practice, id) where suspected_duplicate = 1;

create index records_missing on records (practice, id) where missing > 0;
