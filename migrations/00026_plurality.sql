-- +goose Up

-- The outcome now has three answers to whether a birth was single, so it is derived
-- again when the file is opened (app/birth/outcome_text.go).
update records set outcome = null where outcome is not null;
