-- +goose Up

-- Set once the fingerprints of a record are in the present form (birth.Fingerprints);
-- null until they have been computed, which needs the key and happens when the
-- program opens the installation. A migration of a later form empties it.
alter table records add column fingerprinted integer;

create index records_unfingerprinted on records (id) where fingerprinted is null;
