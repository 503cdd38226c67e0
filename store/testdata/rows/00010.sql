insert into reviews (id, practice, decision, stays, goes, stays_version, goes_version, user, created_at, undone_at, undone_by) values
  (1, 1, 'keep', 1, 2, 2, 2, null, 1760000000060, null, null),
  (2, 1, 'merge', 1, 3, 2, 1, null, 1760000000061, 1760000000062, null);
insert into kept (record, other, review) values (1, 2, 1), (2, 1, 1);
update versions set review = 2 where id = 5;
insert into provider_log (id, provider, name, credentials, role, at, kind, other, user, since) values
  (2, 2, 'A. Lindqvist', '', 'other', 1760000000063, 'merge', 1, null, '2026-02');
