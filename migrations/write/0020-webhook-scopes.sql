-- What the token might do that changed the webhook last: what is sent is no more than that, however old its event. Null:
-- not known, of a webhook from before; then what is granted counts alone.
alter table webhooks.endpoints add column scope text[];
