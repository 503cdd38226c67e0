-- +goose Up

-- What the people of a practice have said about the columns of their spreadsheets and the
-- abbreviations in them, so that nobody is asked twice. sealed holds headers and texts of
-- their files. revision counts the changes. A year after its last use, it is deleted.
create table matches (
  practice integer primary key references practices (id),
  sealed blob not null,
  revision integer not null,
  used_at integer not null
) strict;

create index matches_age on matches (used_at);
