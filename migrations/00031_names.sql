-- +goose Up

-- The keyed index by which a record is found by the mother's name: one row for each
-- word of the name that its present content states. word is a keyed code
-- (birth.NameWord) in which a typed beginning is found as a range; it contains no part
-- of the name.
create table names (
  practice integer not null references practices (id),
  word blob not null,
  record integer not null references records (id),
  primary key (practice, word, record)
) strict, without rowid;

create index names_record on names (record, practice, word);

-- The records whose words are still to be computed, which needs the key and happens
-- when the program opens the installation. A migration of a later form of the words
-- empties names and fills this table again.
create table names_due (
  record integer primary key references records (id)
) strict;

insert into names_due (record) select id from records;
