-- +goose Up

-- The part of a record's current content that statistics need: a short text of
-- classes (app/birth/outcome_text.go), without patient data. Empty if nothing can be
-- read; null until it is derived, which happens when the file is opened.
alter table records add column outcome text;

-- The records that count, by month: every figure is read from this index alone.
create index records_counted on records (practice, birth_month, attendant, outcome) where state = 'active';

create index records_underived on records (id) where outcome is null;
