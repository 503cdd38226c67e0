insert into ingestions (public_id, practice, status, size, outcome, created_at, completed_at)
select 'receipt-14', id, 'completed', 1, x'', 1760000000100, 1760000000101 from practices limit 1;
