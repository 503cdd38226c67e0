insert into reviews (id, practice, decision, stays, goes, stays_version, goes_version, user, created_at, reopened_at) values
  (3, 1, 'merge', 2, 3, 2, 2, null, 1760000000210, 1760000000211);
