insert into audit (id, at, practice, user, actor, action, object, address, mac) values
  (1, 1760000000049, 1, 1, 'Olive', 'record.read', '2026-0147', '192.0.2.1', x'51'),
  (2, 1760000000050, null, null, 'operator', 'user.add', 'vera@example.org', '', x'52');
update audit_head set last = 2, mac = x'53';
insert into refused (id, practice, api_key, at, status, code, request_id, bytes) values (1, 1, 1, 1760000000051, 403, 'forbidden', 'r-1', 12);
