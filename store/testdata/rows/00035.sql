insert into undos (import, practice, user, next, voided, restored, kept, started_at, ended_at)
values (1, 1, 1, 3, 1, 1, 1, 1760000000060, 1760000000061);
insert into undo_kept (import, item, record, reason) values (1, 2, 1, 'changed');
