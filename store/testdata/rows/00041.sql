insert into exports (practice, digest, records, at) values (1, x'01', 2, 1760000000080);
insert into incoming (practice, digest, users_from, users_to, begun_at, finished_at) values (1, x'02', 1, 1, 1760000000081, 1760000000082);
insert into former_audit (practice, id, at, user, actor, action, object, address)
values (1, 1, 1760000000083, 1, 'Olive', 'record.read', 'r1', '192.0.2.1');
