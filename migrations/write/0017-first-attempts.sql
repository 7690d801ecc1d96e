-- The first attempt at a delivery, when it succeeded: nearly every delivery has no other, and needs no row in
-- webhooks.attempts, which holds all others.
alter table webhooks.deliveries
  add first_at timestamptz,
  add first_milliseconds integer,
  add first_status smallint,
  add first_detail text,
  add first_response text,
  add first_address text;
create index deliveries_first_at on webhooks.deliveries using brin (first_at) with (pages_per_range = 16);
