update ehrs set conduct = 'ignores-codes part-of-lists' where id = 1;
