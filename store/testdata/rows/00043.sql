insert into webhooks (api_key, practice, sealed, set_at)
select id, practice, x'05', 1760000000088 from api_keys order by id limit 1;
insert into deliveries (ingestion, practice, api_key, state, attempts, due_at, tried_at, answer, problem, ended_at)
select i.id, i.practice, k.id, 'given-up', 12, 1760000000089, 1760000000090, 500, 'answer', 1760000000091
from ingestions i join api_keys k on k.practice = i.practice
where i.completed_at is not null
order by i.id, k.id limit 1;
