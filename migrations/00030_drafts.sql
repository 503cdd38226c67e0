-- +goose Up

-- Births that somebody has begun to record and not saved yet (decision 52). token is
-- in the draft's address. sealed holds what was typed and, with it, the chart that
-- filled the form in; it is bound to the practice, the token and the author. revision
-- counts the changes, so that a page that has not seen the last one overwrites nothing.
-- A draft is deleted with the transaction that makes it a record, and when nobody has
-- changed it for 30 days.
create table drafts (
  id integer primary key autoincrement,
  token text not null,
  practice integer not null references practices (id),
  author integer not null references users (id),
  sealed blob not null,
  revision integer not null,
  created_at integer not null,
  saved_at integer not null,
  unique (practice, token)
) strict;

create index drafts_practice on drafts (practice, saved_at, id);

create index drafts_author on drafts (practice, author, saved_at, id);

create index drafts_age on drafts (saved_at);
