-- +goose Up

-- The practices that were erased from this installation (app/forget): the certificate.
-- Nothing else of them is left. exported is the SHA-256 of the archive that was made before,
-- and deleted a JSON object that says how many rows of which table were erased. From begun_at
-- on, nobody sees the practice; at deleted_at its rows were gone, at ended_at its remains in
-- the WAL as well.
create table forgotten (
  practice integer primary key,
  name text not null,
  exported blob,
  exported_at integer,
  deleted text not null default '{}',
  begun_at integer not null,
  deleted_at integer,
  ended_at integer,
  mac blob
) strict;

create index forgotten_unfinished on forgotten (practice) where ended_at is null;

-- What a practice was when an archive of it was made: a digest by which a later change shows.
create table export_states (
  export integer primary key references exports (id),
  practice integer not null references practices (id),
  state blob not null
) strict;

create index export_states_practice on export_states (practice, export);

-- An entry of the trail can now become empty, when its practice is forgotten. Its number and
-- its code stay, on which the codes of later entries depend.
drop trigger audit_stands;

-- +goose StatementBegin
create trigger audit_stands before update on audit
when not (
  new.id = old.id and new.mac = old.mac and new.practice is null and new.user is null
  and new.at = 0 and new.actor = '' and new.action = 'erased' and new.address = ''
  and exists (select 1 from forgotten where deleted_at is null)
)
begin
  select raise(abort, 'the audit trail does not change');
end;
-- +goose StatementEnd

-- Without these, deleting an account, a key or an ingestion walks over the rows of all
-- practices.
create index versions_user on versions (user) where user is not null;
create index ingestions_user on ingestions (user) where user is not null;
create index ingestions_key on ingestions (api_key) where api_key is not null;
create index refused_key on refused (api_key) where api_key is not null;
create index imports_user on imports (user) where user is not null;
create index imports_ingestion on imports (ingestion) where ingestion is not null;
create index undos_user on undos (user) where user is not null;
create index reviews_user on reviews (user) where user is not null;
create index reviews_undone_by on reviews (undone_by) where undone_by is not null;
create index provider_log_user on provider_log (user) where user is not null;
create index tombstones_user on tombstones (user) where user is not null;
create index drafts_user on drafts (author);
create index former_audit_user on former_audit (user) where user is not null;
create index audit_user on audit (user) where user is not null;
