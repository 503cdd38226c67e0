-- +goose Up

-- A birth has one attendant, the first of several; the others were present (decision
-- 31). The provider whom the record itself calls its attendant stays marked.
update attributions set attending = 0
where attending = 1
  and exists (
    select 1 from attributions o
    where o.record = attributions.record and o.version = attributions.version and o.attending = 1 and o.provider <> attributions.provider
  )
  and provider <> (
    select a.provider
    from attributions a
    join providers s on s.id = a.provider
    left join versions v on v.record = a.record and v.version = a.version
    where a.record = attributions.record and a.version = attributions.version and a.attending = 1
    order by
      s.name is not (v.clinical ->> '$.care.attendant_name.value'),
      a.role is not (v.clinical ->> '$.care.attendant_type.value'),
      a.provider
    limit 1
  );
