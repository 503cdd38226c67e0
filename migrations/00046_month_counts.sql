-- +goose Up

-- The counts of the births of a practice in a month ('' for those without a month), of
-- the records up to the ID upto: what the statistics add up, so that they don't read
-- every birth each time. counts is app/stats.MonthCounts as bytes. They are counted
-- from the records and never adjusted: a change of a record that they count deletes
-- them, whichever statement makes it. Records with a higher ID are counted when the
-- statistics are read. A row can be deleted at any time.
create table month_counts (
  practice integer not null references practices (id),
  month text not null,
  upto integer not null,
  counts blob not null,
  primary key (practice, month)
) strict, without rowid;

-- +goose StatementBegin
create trigger month_counts_added after insert on records begin
  delete from month_counts where practice = new.practice and month = coalesce(new.birth_month, '') and upto >= new.id;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger month_counts_removed after delete on records begin
  delete from month_counts where practice = old.practice and month = coalesce(old.birth_month, '') and upto >= old.id;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create trigger month_counts_changed after update of id, practice, birth_month, state, attendant, outcome on records
when old.id <> new.id or old.practice <> new.practice or old.birth_month is not new.birth_month or old.state <> new.state
  or old.attendant is not new.attendant or old.outcome is not new.outcome
begin
  delete from month_counts where practice = old.practice and month = coalesce(old.birth_month, '') and upto >= old.id;
  delete from month_counts where practice = new.practice and month = coalesce(new.birth_month, '') and upto >= new.id;
end;
-- +goose StatementEnd

-- One index for the lists by date of birth and for the statistics, which need no other
-- part of a record.
drop index records_counted;

drop index records_born;

create index records_born on records (practice, coalesce(birth_month, ''), id, state, attendant, outcome);
