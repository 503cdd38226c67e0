insert into goqite (id, queue, body) values ('m_1', 'lanes', x'31');
insert into lanes (practice, message, advanced_at) values (1, 'm_1', 1760000000009);
