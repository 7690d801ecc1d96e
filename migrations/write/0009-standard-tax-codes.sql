-- Standard tax codes made before invoices asked for them.
insert into event_store.links (tenant_id, target, kind, source)
select tenant_id, '00000000-0000-0000-0000-000000000000', 'standard_taxcode', stream_id
from event_store.streams
where kind = 'taxcode' and state -> 'data' ->> 'category' = 'Standard'
  and not (state -> 'data' ->> 'isDeleted')::boolean
on conflict do nothing;
