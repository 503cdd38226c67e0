-- +goose Up

-- The posts of a career: what the log says of a role, and not of a name alone,
-- which has no since from now on. Two systems that spell a name differently change
-- it with every message.
create index provider_posts on provider_log (provider, since, id, role) where kind = 'said' and since is not null;
