-- +goose Up

-- The outcome now counts a stated death before or after the birth, breastfeeding that
-- was started and days in intensive care, so it is derived again when the file is
-- opened (app/birth/outcome_derive.go). A death counts in the figures across practices
-- only if the newborn was born alive, so these are counted again, too.
update records set outcome = null where outcome is not null;

update practices set tallied = 0;
