-- +goose Up

-- The downloads of files with births, by which a client's question who got their data is
-- answered. Without it, the answer walks over everything that a practice has ever read.
create index audit_downloads on audit (practice, id)
where action in ('record.export', 'report.download', 'practice.export');
