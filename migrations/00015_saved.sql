-- +goose Up

-- The stamp of a user's last change, in nanoseconds like stamp; null if there is
-- none. Like stamp, it guards against older pushes. It is later than the stamp of the
-- content that it replaced (birth.Saving). Merging a record away does not set it.
alter table records add column saved integer;

update records set saved = (
  select max(
    max(v.created_at) * 1000000,
    case
      when records.source <> 'fhir_push' or (
        select l.source from versions l where l.record = records.id and l.version = records.version
      ) <> 'fhir_push' then coalesce(records.stamp + 1, 0)
      else 0
    end
  )
  from versions v
  left join reviews w on w.id = v.review
  where v.record = records.id and v.source <> 'fhir_push' and not (v.change = 'void' and coalesce(w.decision, '') = 'merge')
);
