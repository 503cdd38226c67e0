insert into seal_recipients (recipient, kind, added_at) values ('age1pq1box', 'box', 1760000000056), ('age1pq1recovery', 'recovery', 1760000000057);
update seal_list set number = 2;
update seal_epochs set list = 2 where id = 2;
