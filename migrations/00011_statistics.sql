-- +goose Up

-- What statistics need of a record's present content: a short text of classes
-- (app/birth/outcome_text.go), none of it patient data. Empty where nothing can
-- be read; null until it has been derived, which happens when the file is opened.
alter table records add column outcome text;

-- What counts, by month: every figure is read from this index alone.
create index records_counted on records (practice, birth_month, attendant, outcome) where state = 'active';

create index records_underived on records (id) where outcome is null;
