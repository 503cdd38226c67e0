-- +goose Up

-- How the Bundle was read that stated a version: the resources that the spec
-- lists, or those of BFDR as well. Null where no Bundle did. What a Bundle stated
-- before the operator could choose was read as the spec says and stays null.
alter table versions add column reading text check (reading in ('spec', 'bfdr'));
