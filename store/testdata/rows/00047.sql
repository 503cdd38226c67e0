insert into provider_counts (practice, upto, after, counts) values (1, 20, 0, x'8f6b87cea68526a8b6613fddaeeaa8b0');
