insert into ehr_expiries (ehr, day) values (1, '2027-03-31');
