update records set updated_at = 1760000000500 where id = 1;
