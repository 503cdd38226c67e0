update providers set name = 'Lindqvist-Ek, Ida', updated_at = 1760000000410 where id = 1;
update provider_names set name = 'ida lindqvist-ek' where provider = 1;
