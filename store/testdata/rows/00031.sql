insert into names (practice, word, record) values (1, x'000102030405060708090a0b0c0d0e0f1011', 1);
