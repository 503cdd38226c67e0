insert into fingerprints (practice, live, print, record) values (1, 0, x'00112233445566778899aabbccddeeff', 3);
