-- +goose Up

-- The counts across practices, updated by each write (store/tallies.go): of the
-- active records with consent in a month, how many say yes to each measure, and for
-- how many it is known. counts is app/figures.Counts as bytes, a month the months
-- since year 0. No sandbox has any.
create table tallies (
  practice integer not null references practices (id),
  month integer not null,
  counts blob not null,
  primary key (practice, month)
) strict, without rowid;

-- Their sums over all practices, in total and for each bit of a practice's id.
create table tally_totals (
  month integer primary key,
  counts blob not null
) strict;

-- How many practices contribute to each measure in a month, by the earlier month in
-- which they last contributed (0 for none within the longest period), so that each
-- practice is counted once per period.
create table tally_returns (
  month integer not null,
  last integer not null,
  counts blob not null,
  primary key (month, last)
) strict, without rowid;

-- 0 until the tallies of a practice have been filled, which happens when the file
-- is opened. A migration that changes what measures or outcomes mean empties the
-- three tables and sets it to 0.
alter table practices add column tallied integer not null default 1;

update practices set tallied = 0;

create index practices_untallied on practices (id) where tallied = 0;
