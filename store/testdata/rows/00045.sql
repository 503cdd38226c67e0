insert into passkeys (user, credential, public_key, sign_count, flags, name, created_at, used_at)
select id, x'02', x'03', 4, 5, x'06', 1760000000092, 1760000000093 from users order by id limit 1;
