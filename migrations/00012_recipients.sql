-- +goose Up

-- The recipients of the age headers: the installation's key and its recovery keys.
-- These are the public halves; no database has the secret ones. A database from
-- before this table gets the public half of its key when it is opened next.
create table seal_recipients (
  recipient text primary key, -- age1pq1…
  kind text not null check (kind in ('box', 'recovery')),
  added_at integer not null
) strict;

create unique index seal_recipients_box on seal_recipients (kind) where kind = 'box';

-- The list has a number, which grows with every change. Each header has the number
-- of the list for which it was wrapped: a header with a lower number is outdated, and
-- a change of keys is complete when none is.
create table seal_list (
  id integer primary key check (id = 1),
  number integer not null
) strict;

insert into seal_list (id, number) values (1, 0);

alter table seal_epochs add column list integer not null default 0;

create index seal_epochs_list on seal_epochs (list);
