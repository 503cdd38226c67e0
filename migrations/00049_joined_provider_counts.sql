-- +goose Up

-- How many adjacent ranges of about a thousand records a row of provider_counts adds up: 1 as
-- counted, or store.joinedRanges. So a list of providers reads few rows of a large practice.
alter table provider_counts add column ranges integer not null default 1;
