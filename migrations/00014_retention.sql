-- +goose Up

-- When a receipt expires, the sealed outcome of its ingestion is emptied (x''). The
-- row stays, because versions refer to it. This index finds expired receipts.
create index ingestions_outcomes on ingestions (completed_at)
where outcome <> x'';
