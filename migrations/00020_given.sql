-- +goose Up

-- Whether the registry assigned the chart number, which is B- and the record's id.
-- Such numbers have their own namespace (decision 21): another system may also have a
-- B-000123, for another birth.
alter table records add column given integer not null default 0 check (given in (0, 1));

drop index records_chart;

create unique index records_chart on records (practice, chart, given) where chart is not null;

-- The numbers assigned until now; one that was taken has a letter appended.
update records set given = 1
where (chart = printf('B-%06d', id) or chart glob printf('B-%06d', id) || '[a-z]')
  and exists (select 1 from versions v where v.record = records.id and v.version = 1 and v.source <> 'fhir_push');
