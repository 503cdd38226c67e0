insert into second_factor_required (practice, set_at)
select id, 1760000000095 from practices order by id limit 1;
