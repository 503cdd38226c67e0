update providers set credentials = 'CPM', updated_at = 1760000000400 where id = 1;
