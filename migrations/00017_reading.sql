-- +goose Up

-- The reading of the Bundle that made a version: the resources that the spec lists,
-- or also those of BFDR. Null if no Bundle made the version, and for Bundles from
-- before the operator could choose, which were read as the spec says.
alter table versions add column reading text check (reading in ('spec', 'bfdr'));
