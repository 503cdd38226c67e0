update records set outcome = 'kept' where outcome is null;
