-- +goose Up

-- To whom the age headers are wrapped: the key of this installation, and its
-- recovery keys. These are the public halves; the secret ones are in no
-- database. A database of before this table gets its own key's at the next
-- opening.
create table seal_recipients (
  recipient text primary key, -- age1pq1…
  kind text not null check (kind in ('box', 'recovery')),
  added_at integer not null
) strict;

create unique index seal_recipients_box on seal_recipients (kind) where kind = 'box';

-- The list has a number, which goes up with every change, and a header the
-- number of the list that it was wrapped to: one with a lower number is behind,
-- and a change of keys is done when none is.
create table seal_list (
  id integer primary key check (id = 1),
  number integer not null
) strict;

insert into seal_list (id, number) values (1, 0);

alter table seal_epochs add column list integer not null default 0;

create index seal_epochs_list on seal_epochs (list);
