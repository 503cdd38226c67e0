insert into ingestions (id, public_id, practice, status, size, kind, user, total, created_at) values
  (4, 'a file', 1, 'queued', 40, 'csv', 1, 3, 1760000000054);
insert into imports (id, public_id, practice, user, rows, size, about, ingestion, kept, created_at) values
  (1, 'a file', 1, 1, 3, 40, x'71', 4, 1, 1760000000054),
  (2, 'another', 1, null, 0, 1, x'72', null, 0, 1760000000055);
insert into import_parts (id, sealed) values (4096, x'73');
