-- +goose Up

-- Separates the fingerprints of active records from the others, so that a search for a
-- birth does not walk over all voided records. live is whether the record is active.
create table live_fingerprints (
  practice integer not null references practices (id),
  live integer not null check (live in (0, 1)),
  print blob not null,
  record integer not null references records (id),
  primary key (practice, live, print, record)
) strict, without rowid;

insert into live_fingerprints (practice, live, print, record)
select f.practice, r.state = 'active', f.print, f.record
from fingerprints f
join records r on r.id = f.record
order by 1, 2, 3, 4;

drop table fingerprints;

alter table live_fingerprints rename to fingerprints;

create index fingerprints_record on fingerprints (record);

-- The pairs of a practice that a user kept.
create index reviews_kept on reviews (practice, id) where decision = 'keep' and undone_at is null;
