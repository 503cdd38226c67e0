-- +goose Up

-- A user's decision about two records that may be duplicates: keep both, void one,
-- or merge one into the other. stays and goes are the two records; if both are kept,
-- goes is the later one. The versions are those that the decision made or, if both
-- are kept, those that it found.
create table reviews (
  id integer primary key autoincrement,
  practice integer not null references practices (id),
  decision text not null check (decision in ('keep', 'void', 'merge')),
  stays integer not null references records (id),
  goes integer not null references records (id),
  stays_version integer not null,
  goes_version integer not null,
  user integer references users (id),
  created_at integer not null,
  undone_at integer,
  undone_by integer references users (id)
) strict;

create index reviews_practice on reviews (practice, id);

create index reviews_merged on reviews (practice, id) where decision = 'merge' and undone_at is null;

create index reviews_stays on reviews (stays, id);

create index reviews_goes on reviews (goes, id);

-- Pairs that are not duplicates, each in both directions, until a fingerprint of
-- either record changes.
create table kept (
  record integer not null references records (id),
  other integer not null references records (id),
  review integer not null references reviews (id),
  primary key (record, other)
) strict, without rowid;

create index kept_other on kept (other);

create index kept_review on kept (review);

-- The review that made a version. A merge voids the record that is merged away, and
-- undoing the merge revives it: the review tells this from a plain void or revive.
alter table versions add column review integer references reviews (id);

create index records_merged on records (merged_into) where merged_into is not null;

-- merged_into is the provider into which this one was merged; survivor is the
-- provider at the end of the chain, whose name is shown.
alter table providers add column survivor integer references providers (id);

update providers set survivor = merged_into where merged_into is not null;

create index providers_merged on providers (merged_into) where merged_into is not null;

create index providers_survivor on providers (survivor) where survivor is not null;

-- The career log also records merges. since is the month from which a role is
-- valid. It is the month of a birth: the day would reveal something about a patient.
alter table provider_log add column kind text not null default 'said' check (kind in ('said', 'merge', 'unmerge'));
alter table provider_log add column other integer references providers (id);
alter table provider_log add column user integer references users (id);
alter table provider_log add column since text;

update provider_log set since = strftime('%Y-%m', at / 1000, 'unixepoch');

-- The participant's role at that birth. For existing rows, it is the role that was
-- stated when the record first named the participant.
alter table attributions add column role text check (role in ('midwife', 'doula', 'nurse', 'assistant', 'other'));

update attributions set role = coalesce((
  select l.role
  from provider_log l
  where l.provider = attributions.provider and l.at <= (
    select v.created_at from versions v
    where v.record = attributions.record and v.version = (
      select min(a.version) from attributions a
      where a.record = attributions.record and a.provider = attributions.provider
    )
  )
  order by l.id desc
  limit 1
), (select s.role from providers s where s.id = attributions.provider));
