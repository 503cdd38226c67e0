-- +goose Up

-- Whether a birth was single has three answers in the outcome now: it is derived
-- anew when the file is opened (app/birth/outcome_text.go).
update records set outcome = null where outcome is not null;
