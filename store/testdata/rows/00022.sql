insert into provider_log (provider, name, credentials, role, at, kind, since) values (1, 'Ida Lindqvist', 'CPM', 'midwife', 1760000000230, 'said', null);
