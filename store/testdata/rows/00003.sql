insert into ingestions (id, public_id, practice, api_key, idempotency, status, size, attempts, items, accepted, rejected, outcome, exception, correlation_id, created_at, completed_at) values
  (1, 'done', 1, 1, x'aa', 'completed', 10, 1, 1, 1, 0, x'bb', null, null, 1760000000010, 1760000000011),
  (2, 'failed', 1, 1, null, 'failed', 20, 3, 0, null, null, x'cc', 'AttemptsExhausted', 'c-1', 1760000000012, 1760000000013),
  (3, 'under way', 1, 1, null, 'processing', 30, 1, 2, null, null, null, null, null, 1760000000014, null);
insert into buffers (id, sealed) values (3 * 4096, x'dd'), (3 * 4096 + 1, x'ee');
insert into ledger (ingestion, first, next, accepted, rejected, sealed) values (3, 0, 2, 1, 1, x'ff');
