-- +goose Up

-- What counts across practices, kept with each write (store/tallies.go): of the
-- active records with consent, how many of a month say yes to each measure and of
-- how many it is known. counts is app/figures.Counts as bytes, a month the months
-- since year 0. No sandbox has any.
create table tallies (
  practice integer not null references practices (id),
  month integer not null,
  counts blob not null,
  primary key (practice, month)
) strict, without rowid;

-- Their sums over all practices, and the same apart by the bits of a practice's id.
create table tally_totals (
  month integer primary key,
  counts blob not null
) strict;

-- How many practices contribute to each measure in a month and did so last in an
-- earlier one, 0 for none within the longest period: so that whoever contributes
-- to a period is counted once.
create table tally_returns (
  month integer not null,
  last integer not null,
  counts blob not null,
  primary key (month, last)
) strict, without rowid;

-- 0 until the tallies of a practice have been filled, which happens when the file
-- is opened. A migration after which measures or outcomes say something else
-- empties the three tables and sets it to 0.
alter table practices add column tallied integer not null default 1;

update practices set tallied = 0;

create index practices_untallied on practices (id) where tallied = 0;
