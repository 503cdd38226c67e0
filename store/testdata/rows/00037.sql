insert into matches (practice, sealed, revision, used_at) values (1, x'00', 2, 1760000000070);
