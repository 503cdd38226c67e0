insert into prefills (handle, owner, sealed, created_at, used_at) values (x'88', 1, x'89', 1760000000300, 1760000000301);
