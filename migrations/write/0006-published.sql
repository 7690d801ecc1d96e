-- How far the events of each partition have been published to a Kafka topic.
create table event_store.published (
  topic text not null,
  partition smallint not null,
  epoch integer not null default 0,
  transaction_id xid8 not null default '0',
  position bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (topic, partition)
);
