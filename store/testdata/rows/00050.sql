insert into rejects (practice, ingestion, chart)
select practice, id, x'07' from ingestions where kind = 'bundle' order by id limit 1;
