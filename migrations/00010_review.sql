-- +goose Up

-- What a person decided about two records that look like one birth: to keep
-- both, to void one, or to merge one into the other. stays and goes are the
-- two; of a pair that is kept, goes is the one that came later. The versions are
-- those that the decision made or, where both are kept, found.
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

-- Pairs that are known to be two births, each in both directions, until a
-- fingerprint of either changes.
create table kept (
  record integer not null references records (id),
  other integer not null references records (id),
  review integer not null references reviews (id),
  primary key (record, other)
) strict, without rowid;

create index kept_other on kept (other);

create index kept_review on kept (review);

-- The review that made a version. A record that is merged away is changed by a
-- void, one that comes back from a merge by a revive: the review says which.
alter table versions add column review integer references reviews (id);

create index records_merged on records (merged_into) where merged_into is not null;

-- merged_into is the provider that one was merged into, survivor the one at the
-- end of the chain, whose name is shown.
alter table providers add column survivor integer references providers (id);

update providers set survivor = merged_into where merged_into is not null;

create index providers_merged on providers (merged_into) where merged_into is not null;

create index providers_survivor on providers (survivor) where survivor is not null;

-- The career log tells of merges as well. since is the month from which a role
-- holds, a month of birth: the day would tell of a patient.
alter table provider_log add column kind text not null default 'said' check (kind in ('said', 'merge', 'unmerge'));
alter table provider_log add column other integer references providers (id);
alter table provider_log add column user integer references users (id);
alter table provider_log add column since text;

update provider_log set since = strftime('%Y-%m', at / 1000, 'unixepoch');

-- The role that somebody had at that birth. What is on file was said when the
-- record first named them.
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
