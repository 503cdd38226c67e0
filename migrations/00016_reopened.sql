-- +goose Up

-- When the record that stays of a merge left 'active': then neither of the two
-- counts, and the pair waits for a person again. Null when it does not, and once
-- somebody has said that it is right so.
alter table reviews add column reopened_at integer;

create index reviews_reopened on reviews (practice, id) where reopened_at is not null;

update reviews set reopened_at = (select r.updated_at from records r where r.id = reviews.stays and r.state <> 'active')
where decision = 'merge' and undone_at is null;
