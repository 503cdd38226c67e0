-- +goose Up

-- The audit trail: who did what, when, to which record. It contains no patient
-- data. mac chains each row to the previous one with a secret of the installation,
-- so that verification finds rows that were changed or removed.
create table audit (
  id integer primary key autoincrement,
  at integer not null,
  practice integer references practices (id),
  user integer references users (id),
  actor text not null, -- who it was, as people read it
  action text not null,
  object text not null, -- a record's number, a key's label, a user's address
  address text not null,
  mac blob not null,
  -- What lists go by: reading is told from writing.
  area text as (
    case when action in ('record.read', 'record.export') then 'read' else substr(action, 1, instr(action, '.') - 1) end
  ) virtual
) strict;

create index audit_practice on audit (practice, id);

create index audit_object on audit (practice, object, id);

create index audit_area on audit (practice, area, id);

-- +goose StatementBegin
create trigger audit_stands before update on audit
begin
  select raise(abort, 'the audit trail does not change');
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger audit_stays before delete on audit
begin
  select raise(abort, 'the audit trail does not change');
end;
-- +goose StatementEnd

-- The end of the trail: the number of its last row, with a code over that number
-- and the row's code, so that verification finds an end that was cut off. Empty
-- until the first row.
create table audit_head (
  id integer primary key check (id = 1),
  last integer not null,
  mac blob not null
) strict;

insert into audit_head (id, last, mac) values (1, 0, x'');

-- Refused requests with a practice's API keys, without their bodies: the newest
-- thousand of the last thirty days.
create table refused (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  api_key integer references api_keys (id),
  at integer not null,
  status integer not null,
  code text not null, -- of the error catalogue
  request_id text not null,
  bytes integer not null
) strict;

create index refused_practice on refused (practice, id);

-- Ingestions that need attention are rare and have their own index.
create index ingestions_failed on ingestions (practice, id) where status = 'failed';

create index ingestions_rejects on ingestions (practice, id) where rejected > 0;
