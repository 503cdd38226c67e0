insert into custom_fields (id, practice, key, label, kind, options, position, created_at, retired_at) values
  (1, 1, 'tub', 'Tub', 'choice', '["blue","green"]', 0, 1760000000052, null);
insert into custom_values (record, version, sealed) values (1, 2, x'61');
insert into versions (id, record, version, content, change, source, clinical, patient, created_at, user, note) values
  (6, 1, 3, 3, 'amend', 'manual', '{"children":[{}]}', x'62', 1760000000053, 1, x'63');
update records set version = 3, content = 3, source = 'manual' where id = 1;
