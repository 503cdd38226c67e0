insert into drafts (token, practice, author, sealed, revision, created_at, saved_at)
values ('d1f7c1a0-0000-4000-8000-000000000001', 1, 1, x'00', 3, 1700000000000, 1700000100000);
