update records set outcome = 'kept', birth_month = '2026-02';
