-- Numbers that changed rows of imports have brought did not move the counters on: what one gives next may be taken, and
-- whoever asks for it would be refused for good.
insert into event_store.counters as c (tenant_id, name, value)
select tenant_id, kind, max(key::bigint) from event_store.reservations
where kind in ('client_number', 'matter_number', 'invoice_number') and key ~ '^[1-9][0-9]{0,14}$'
group by tenant_id, kind
on conflict (tenant_id, name) do update set value = excluded.value where c.value < excluded.value;
