-- +goose Up

-- The day (2006-01-02) on which a vendor's registration of the service ends, where the
-- operator has stated one.
create table ehr_expiries (
  ehr integer primary key references ehrs (id) on delete cascade,
  day text not null
) strict;
