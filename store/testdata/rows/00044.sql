insert into sso_providers (id, name, slug, issuer, client_id, secret, domains, created_at)
values (1, 'Clinic', 'clinic', 'https://id.example.org', 'registry', x'06', 'example.org', 1760000000092);
insert into sso_links (id, provider, subject, user, linked_at)
select 1, 1, x'07', id, 1760000000093 from users order by id limit 1;
insert into sso_only (practice, provider, set_at)
select id, 1, 1760000000094 from practices order by id limit 1;
