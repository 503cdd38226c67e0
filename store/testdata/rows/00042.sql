insert into forgotten (practice, name, exported, exported_at, deleted, begun_at, deleted_at, ended_at)
values (900, 'Hillside', x'03', 1760000000084, '{"records":2}', 1760000000085, 1760000000086, 1760000000087);
insert into export_states (export, practice, state) values (1, 1, x'04');
