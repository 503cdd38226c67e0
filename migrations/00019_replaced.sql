-- +goose Up

-- The version with a user's values, or with a user's void, which a push that could not
-- be shown to be newer replaced or revived. The record then waits for a user to look
-- at it. Null if it does not wait.
alter table records add column replaced integer;

create index records_replaced on records (practice, id) where replaced is not null and state = 'active';
