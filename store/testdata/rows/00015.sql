update records set saved = 1760000000200000000 where id = 1;
