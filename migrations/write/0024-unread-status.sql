-- Nobody reads the status of an answer: a repeated request has that of its route. Only earlier programs still store it.
alter table event_store.idempotency_keys alter column status drop not null;
