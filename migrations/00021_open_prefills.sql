-- +goose Up

-- Once a form is opened, the chart that filled it in is kept with it. used_at is when
-- the form was last opened or sent, null while nobody has opened it.
alter table prefills add column used_at integer;
update prefills set used_at = created_at where owner is not null;

drop index prefills_age;
create index prefills_age on prefills (created_at) where owner is null;
create index prefills_open on prefills (owner, used_at) where owner is not null;
create index prefills_used on prefills (used_at) where owner is not null;
