-- +goose Up

-- The counts of the births of a practice's providers, for each thousand of its records:
-- those with an ID above after and up to upto. counts is store.providerCounts as bytes, with
-- merged providers counted as the one into which they were merged. They are counted from
-- the records and never adjusted: a change of a record that they count, of who took part,
-- or of a merge deletes them, whichever statement makes it. Records in no row are counted
-- when the providers are listed. A row can be deleted at any time.
create table provider_counts (
  practice integer not null references practices (id),
  upto integer not null,
  after integer not null,
  counts blob not null,
  primary key (practice, upto)
) strict, without rowid;

-- +goose StatementBegin
create trigger provider_counts_record_added after insert on records begin
  delete from provider_counts
  where practice = new.practice and after < new.id
    and upto = (select min(upto) from provider_counts where practice = new.practice and upto >= new.id);
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger provider_counts_record_removed after delete on records begin
  delete from provider_counts
  where practice = old.practice and after < old.id
    and upto = (select min(upto) from provider_counts where practice = old.practice and upto >= old.id);
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger provider_counts_record_changed after update of id, practice, state, content, created_at on records
when old.id <> new.id or old.practice <> new.practice or old.state <> new.state or old.content <> new.content
  or old.created_at <> new.created_at
begin
  delete from provider_counts
  where practice = old.practice and after < old.id
    and upto = (select min(upto) from provider_counts where practice = old.practice and upto >= old.id);
  delete from provider_counts
  where practice = new.practice and after < new.id
    and upto = (select min(upto) from provider_counts where practice = new.practice and upto >= new.id);
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger provider_counts_attribution_added after insert on attributions begin
  delete from provider_counts
  where practice = (select practice from records where id = new.record) and after < new.record
    and upto = (
      select min(upto) from provider_counts
      where practice = (select practice from records where id = new.record) and upto >= new.record
    );
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger provider_counts_attribution_removed after delete on attributions begin
  delete from provider_counts
  where practice = (select practice from records where id = old.record) and after < old.record
    and upto = (
      select min(upto) from provider_counts
      where practice = (select practice from records where id = old.record) and upto >= old.record
    );
end;
-- +goose StatementEnd

-- Nothing updates an attribution but its attending flag, in migrations.
-- +goose StatementBegin
create trigger provider_counts_attribution_changed after update on attributions begin
  delete from provider_counts where practice in (select practice from records where id in (old.record, new.record));
end;
-- +goose StatementEnd

-- An identity that is merged when it is first seen has no births yet.
-- +goose StatementBegin
create trigger provider_counts_merged after update of survivor on providers
when old.survivor is not new.survivor and exists (select 1 from attributions where provider = new.id)
begin
  delete from provider_counts where practice = new.practice;
end;
-- +goose StatementEnd
