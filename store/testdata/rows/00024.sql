insert into attributions (record, version, provider, attending, role) values (1, 2, 2, 0, 'other');
