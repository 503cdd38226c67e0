-- +goose Up

-- The list by month of birth, with the records that state none.
create index records_born on records (practice, coalesce(birth_month, ''), id);

drop index records_month;

-- The list by last change.
create index records_changed on records (practice, updated_at, id);
