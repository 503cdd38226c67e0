-- +goose Up

-- The chart numbers of erased births: a push, a row or a form with such a number is
-- rejected until an admin lifts the row. chart is a keyed hash of the practice and the
-- number; no number can be read from it. uuid is the erased record's id, which the audit
-- trail names as well. refused counts what was rejected since an admin last looked.
create table tombstones (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  chart blob not null,
  uuid text not null,
  reason text not null check (reason in ('request', 'mistake')),
  user integer references users (id),
  created_at integer not null,
  refused integer not null default 0,
  refused_at integer
) strict;

create unique index tombstones_chart on tombstones (practice, chart);

create index tombstones_refused on tombstones (practice, id) where refused > 0;

-- Without it, deleting a review walks over every version.
create index versions_review on versions (review) where review is not null;
