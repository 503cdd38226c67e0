-- +goose Up

-- The keyed codes (MACs) of the rows that state a fact or grant a right
-- (store/signed.go). mac covers the row, and in records and users the rows of other
-- tables that belong to it. Null until the row was signed, which needs the key and
-- happens when the program opens the installation. A migration that changes what is
-- signed empties these columns and this table and raises store.signedForm.
alter table practices add column mac blob;
alter table users add column mac blob;
alter table memberships add column mac blob;
alter table api_keys add column mac blob;
alter table links add column mac blob;
alter table sessions add column mac blob;
alter table custom_fields add column mac blob;
alter table ingestions add column mac blob;
alter table records add column mac blob;
alter table providers add column mac blob;

-- The number of rows of each practice in each table and the sum of their codes, with
-- its own code, so that a row that was removed or put back is found. Practice 0 is the
-- installation.
create table sums (
  practice integer primary key,
  sealed blob not null
) strict;
