insert into users (id, email, name, password, totp, totp_step, created_at, signed_in_at, disabled_at) values
  (1, 'olive@example.org', 'Olive', '$argon2id$', x'31', 7, 1760000000032, 1760000000033, null),
  (2, 'vera@example.org', 'Vera', null, null, 0, 1760000000034, null, 1760000000035);
insert into memberships (user, practice, role, called, created_at, accepted_at, used_at, disabled_at) values
  (1, 1, 'admin', 'Olive', 1760000000036, 1760000000037, 1760000000038, null),
  (2, 1, 'viewer', 'Vera', 1760000000039, null, null, 1760000000040);
insert into recovery_codes (user, hash) values (1, x'41');
insert into links (id, user, practice, purpose, hash, made_by, created_at, expires_at, used_at) values
  (1, 2, 1, 'invite', x'42', 'Olive', 1760000000041, 1760000000042, null),
  (2, 1, null, 'reset', x'43', 'operator', 1760000000043, 1760000000044, 1760000000045);
insert into sessions (token, user, practice, sealed, agent, created_at, seen_at, expires_at) values
  ('t', 1, 1, x'44', 'Firefox', 1760000000046, 1760000000047, 1760000000048);
