insert into ehrs (id, issuer, label, client_id, auth, secret, hosts, scopes, aud, frames, practice, created_at) values
  (1, 'https://ehr.example.org/fhir', 'Hospital', 'client', 'secret', x'81', 'login.example.org', 'launch openid', '', '', 1, 1760000000060),
  (2, 'https://other.example.org/fhir', 'Clinic', null, 'public', null, '', '', '', '', null, 1760000000061);
insert into launches (state, browser, sealed, created_at) values (x'82', x'83', x'84', 1760000000062);
insert into prefills (handle, owner, sealed, created_at) values (x'85', 1, x'86', 1760000000063);
insert into client_keys (kid, sealed, created_at) values ('k-1', x'87', 1760000000064);
