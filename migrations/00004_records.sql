-- +goose Up

-- One row per record: its state. Its content is in its versions.
create table records (
  id integer primary key autoincrement,
  uuid text not null unique,
  practice integer not null references practices (id),
  chart text,
  state text not null check (state in ('active', 'voided', 'merged')),
  version integer not null,
  content integer not null, -- the version that holds the last content
  stamp integer,
  ig_version text,
  suspected_duplicate integer not null default 0 check (suspected_duplicate in (0, 1)),
  merged_into integer references records (id),
  created_at integer not null,
  updated_at integer not null
) strict;

create index records_practice on records (practice, id);

create unique index records_chart on records (practice, chart) where chart is not null;

-- Every version of every record, never changed. clinical is a readable JSON
-- document, patient the sealed one (app/birth/document.go); a retraction has
-- neither, and the record keeps its last content. The unique index ensures that an
-- item of an ingestion is applied at most once.
create table versions (
  id integer primary key autoincrement,
  record integer not null references records (id),
  version integer not null,
  content integer not null, -- the version whose documents are the content as of this one
  change text not null check (change in ('create', 'amend', 'revive', 'void')),
  source text not null check (source in ('manual', 'csv', 'fhir_push', 'ehr_pull')),
  ingestion integer references ingestions (id),
  item integer,
  stamp integer,
  ig_version text,
  clinical text,
  patient blob,
  created_at integer not null
) strict;

create unique index versions_record on versions (record, version);

create unique index versions_item on versions (ingestion, item) where ingestion is not null;

-- The fingerprints: keyed hashes that find a birth that is already on file.
create table fingerprints (
  practice integer not null references practices (id),
  print blob not null,
  record integer not null references records (id),
  primary key (practice, print, record)
) strict, without rowid;

create index fingerprints_record on fingerprints (record);

-- Providers of a practice. identity is a keyed hash of the stable id, npi one
-- of the NPI; sealed holds both as they were sent.
create table providers (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  identity blob not null,
  npi blob,
  sealed blob not null,
  name text not null,
  credentials text not null,
  role text not null check (role in ('midwife', 'doula', 'nurse', 'assistant', 'other')),
  merged_into integer references providers (id),
  created_at integer not null,
  updated_at integer not null
) strict;

create unique index providers_identity on providers (practice, identity);

-- The career log: what was stated about a provider, and since when.
create table provider_log (
  id integer primary key autoincrement,
  provider integer not null references providers (id),
  name text not null,
  credentials text not null,
  role text not null,
  at integer not null
) strict;

create index provider_log_provider on provider_log (provider, id);

-- The participants of the birth, as each content version of a record states them.
-- Those of the version records.content are current.
create table attributions (
  record integer not null references records (id),
  version integer not null,
  provider integer not null references providers (id),
  attending integer not null check (attending in (0, 1)),
  primary key (record, version, provider)
) strict, without rowid;

create index attributions_provider on attributions (provider, record, version);
