-- A report is paged by severity: without it every page sorts all findings of the import, of which there may be millions.
create index findings_paged on import.findings (request_id, severity, id);
