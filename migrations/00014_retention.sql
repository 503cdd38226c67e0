-- +goose Up

-- Receipts have their time: then the sealed outcome of an ingestion is emptied
-- (x''), its row stays, to which versions refer. This finds those that are due.
create index ingestions_outcomes on ingestions (completed_at)
where outcome <> x'';
