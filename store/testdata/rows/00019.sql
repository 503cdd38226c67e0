update records set replaced = 2 where id = 1;
