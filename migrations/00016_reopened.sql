-- +goose Up

-- When the remaining record of a merge left the state 'active'. Neither of the two
-- then counts, and the pair waits for a review again. Null if it does not wait, and
-- once a user has confirmed the state.
alter table reviews add column reopened_at integer;

create index reviews_reopened on reviews (practice, id) where reopened_at is not null;

update reviews set reopened_at = (select r.updated_at from records r where r.id = reviews.stays and r.state <> 'active')
where decision = 'merge' and undone_at is null;
