update versions set reading = 'bfdr' where id = (select min(id) from versions where source = 'fhir_push' and clinical is not null);
