update records set fingerprinted = 1 where id = 1;
