-- +goose Up

-- The pushed courses of care of the last week that were rejected and not applied since, so
-- that the home page shows an ingestion only while something is left to do. chart is a keyed
-- hash of the practice and the chart number, or empty if it is not known which course it was.
create table rejects (
  id integer primary key,
  practice integer not null references practices (id),
  ingestion integer not null references ingestions (id),
  chart blob not null
) strict;

create unique index rejects_practice on rejects (practice, ingestion, chart);

create index rejects_chart on rejects (practice, chart);

create index rejects_ingestion on rejects (ingestion);

-- Nobody knows which courses the ingestions before this migration rejected.
insert into rejects (practice, ingestion, chart)
select practice, id, x''
from ingestions
where rejected > 0 and kind = 'bundle' and created_at >= (unixepoch() - 7 * 24 * 3600) * 1000
order by id;
