-- +goose Up

-- The archives of practices that were made here (app/archive), with the SHA-256 of the file.
create table exports (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  digest blob not null,
  records integer not null,
  at integer not null
) strict;

create index exports_practice on exports (practice, id);

-- The imports of practices from other installations. digest is the SHA-256 of the archive's
-- manifest. Until finished_at is set, the practice is incoming: its rows are being written,
-- nobody sees it, and a process that finds no other importing it deletes it. The import added
-- the users from users_from to users_to.
create table incoming (
  practice integer primary key references practices (id),
  digest blob not null,
  users_from integer not null,
  users_to integer not null,
  begun_at integer not null,
  finished_at integer
) strict;

-- The audit trail of a practice from before it came here, in its order. The trail of the
-- installation has no such entries: nothing in it was done elsewhere.
create table former_audit (
  practice integer not null references practices (id),
  id integer not null,
  at integer not null,
  user integer references users (id),
  actor text not null,
  action text not null,
  object text not null,
  address text not null,
  area text as (
    case when action in ('record.read', 'record.export') then 'read' else substr(action, 1, instr(action, '.') - 1) end
  ) virtual,
  primary key (practice, id)
) strict;

create index former_audit_object on former_audit (practice, object, id);

create index former_audit_area on former_audit (practice, area, id);

create index former_audit_downloads on former_audit (practice, id)
where action in ('record.export', 'report.download', 'practice.export');

-- What a practice that is deleted is looked up by.
create index provider_log_other on provider_log (other) where other is not null;
