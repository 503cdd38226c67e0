-- +goose Up

-- The list of a year or a month by last change: without it, the list walks over the
-- births of all other years that were changed before.
create index records_born_changed on records (practice, coalesce(birth_month, ''), updated_at, id);
