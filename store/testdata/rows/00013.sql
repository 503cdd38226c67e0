insert into certificates (name, sealed, updated_at) values ('births.example.org', x'00', 1);
