insert into sums (practice, sealed) values (0, x'00');
