insert into provider_counts (practice, upto, after, counts) values (1, 20, 0, x'');
