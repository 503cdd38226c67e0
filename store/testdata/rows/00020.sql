insert into records (id, uuid, practice, chart, given, state, version, content, created_at, updated_at, source, outcome) values
  (20, 'u-20', 1, 'B-000020', 1, 'active', 1, 1, 1760000000220, 1760000000220, 'manual', 'kept'),
  (21, 'u-21', 1, 'B-000020', 0, 'active', 1, 1, 1760000000221, 1760000000221, 'fhir_push', 'kept');
insert into versions (record, version, content, change, source, clinical, patient, created_at) values
  (20, 1, 1, 'create', 'manual', '{"children":[{}]}', x'2a', 1760000000220),
  (21, 1, 1, 'create', 'fhir_push', '{"children":[{}]}', x'2b', 1760000000221);
