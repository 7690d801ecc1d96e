-- Where in the feed a tenant's last erasure stands: what read models show from before it is sent to nobody.
create table webhooks.last_erasures (
  tenant_id integer primary key,
  at text not null
);
