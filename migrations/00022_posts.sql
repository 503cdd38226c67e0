-- +goose Up

-- The posts of a career: the rows of the log that state a role. Rows with only a name
-- no longer have a since, because two systems that spell a name differently change it
-- with every message.
create index provider_posts on provider_log (provider, since, id, role) where kind = 'said' and since is not null;
