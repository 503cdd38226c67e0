insert into practices (id, name, ehr_beta, created_at) values (1, 'Riverside Midwives', 1, 1760000000000);
insert into practices (id, name, is_sandbox, created_at) values (2, 'Sandbox', 1, 1760000000001);
insert into api_keys (id, practice, label, scopes, prefix, hash, minted_by, created_at, last_used_at, revoked_at) values
  (1, 1, 'nightly', 'ingest:read ingest:write', 'rgk_abcd', x'01', 'operator', 1760000000002, 1760000000003, null),
  (2, 2, 'gone', 'ingest:write', 'rgk_efgh', x'02', 'operator', 1760000000004, null, 1760000000005);
insert into seal_epochs (id, header, created_at) values (1, x'6167650a', 1760000000006), (2, x'6167650b', 1760000000007);
insert into secrets (name, sealed, created_at) values ('hash-root', x'00000001ff', 1760000000008);
