-- What has failed is asked for by itself, out of very many deliveries that arrived.
create index deliveries_failed on webhooks.deliveries (tenant_id, webhook_id, event_id) where state = 2;
