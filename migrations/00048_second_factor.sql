-- +goose Up

-- The practices whose users need a second factor.
create table second_factor_required (
  practice integer primary key references practices (id),
  set_at integer not null
) strict;
