-- no rows of its own: an index of the audit trail
select 1;
