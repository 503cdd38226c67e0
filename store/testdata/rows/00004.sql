insert into records (id, uuid, practice, chart, state, version, content, stamp, ig_version, suspected_duplicate, merged_into, created_at, updated_at) values
  (1, 'u-1', 1, 'C-1', 'active', 2, 2, 1760000000015, '2.0.0', 1, null, 1760000000016, 1760000000017),
  (2, 'u-2', 1, 'C-2', 'voided', 2, 1, null, null, 0, null, 1760000000018, 1760000000019),
  (3, 'u-3', 1, null, 'merged', 1, 1, null, null, 0, 1, 1760000000020, 1760000000021);
insert into versions (id, record, version, content, change, source, ingestion, item, stamp, ig_version, clinical, patient, created_at) values
  (1, 1, 1, 1, 'create', 'fhir_push', 1, 0, null, '2.0.0', '{"care":{},"children":[{"birth_month":{"value":"2026-02"}}]}', x'0a', 1760000000022),
  (2, 1, 2, 2, 'amend', 'fhir_push', 3, 0, 1760000000015, '2.0.0', '{"care":{"attendant_type":{"value":"midwife"}},"children":[{"birth_weight_g":{"value":3400}}]}', x'0b', 1760000000023),
  (3, 2, 1, 1, 'create', 'fhir_push', null, null, null, null, '{"children":[{}]}', x'0c', 1760000000024),
  (4, 2, 2, 1, 'void', 'fhir_push', null, null, null, null, null, null, 1760000000025),
  (5, 3, 1, 1, 'create', 'fhir_push', null, null, null, null, '{"children":[{}]}', x'0d', 1760000000026);
insert into fingerprints (practice, print, record) values (1, x'11', 1), (1, x'11', 3);
insert into providers (id, practice, identity, npi, sealed, name, credentials, role, merged_into, created_at, updated_at) values
  (1, 1, x'21', x'22', x'23', 'Ada Lindqvist', 'CNM', 'midwife', null, 1760000000027, 1760000000028),
  (2, 1, x'24', null, x'25', 'A. Lindqvist', '', 'other', 1, 1760000000029, 1760000000030);
insert into provider_log (id, provider, name, credentials, role, at) values (1, 1, 'Ada Lindqvist', 'LM', 'midwife', 1760000000031);
insert into attributions (record, version, provider, attending) values (1, 2, 1, 1);
