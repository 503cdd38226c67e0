insert into provider_groups (practice, npi, name, provider) values (1, x'', 'ida lindqvist', 1);
