-- +goose Up

-- How the last launch found an EHR to answer otherwise than it was asked, in the
-- words of app/smart with spaces between them; null before the first launch.
alter table ehrs add column conduct text;
