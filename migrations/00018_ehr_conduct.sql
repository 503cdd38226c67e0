-- +goose Up

-- How the EHR's answers in the last launch differed from the requests, in the words of
-- app/smart, separated by spaces; null before the first launch.
alter table ehrs add column conduct text;
