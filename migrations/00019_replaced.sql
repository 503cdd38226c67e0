-- +goose Up

-- The version that holds what a person said, where a push that nothing showed to
-- be newer took its place, or brought back what the person had voided: the record
-- waits for somebody to look at it. Null when it does not.
alter table records add column replaced integer;

create index records_replaced on records (practice, id) where replaced is not null and state = 'active';
