-- +goose Up
-- A person types a provider's name, never an identifier: by it the provider is found.
create index providers_name on providers (practice, name);
