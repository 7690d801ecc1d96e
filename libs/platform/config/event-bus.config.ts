import { applyDecorators } from '@nestjs/common';
import { IsIn, IsNotEmpty, IsOptional, Matches, ValidateIf } from 'class-validator';
import { AreBrokers, IsWholeNumber } from './checks';

function IsNeededToLogIn(): PropertyDecorator {
  return applyDecorators(
    ValidateIf(({ KAFKA_SASL }: EventBusConfig) => KAFKA_SASL !== undefined),
    IsNotEmpty({ message: '$property is required with KAFKA_SASL' }),
  );
}

/** How events reach their consumers. */
export class EventBusConfig {
  /** What carries events to their consumers: the store's own feed, or Kafka. */
  @IsIn(['postgres', 'kafka'])
  EVENT_BUS: 'postgres' | 'kafka' = 'postgres';

  /** `host:port` of Kafka's brokers, with commas between; needed when EVENT_BUS=kafka. */
  @IsOptional()
  @AreBrokers()
  KAFKA_BROKERS?: string;

  /** `true`: connections to the brokers use TLS. NODE_EXTRA_CA_CERTS adds certificates that Node does not know. */
  @IsIn(['true', 'false'])
  KAFKA_TLS: 'true' | 'false' = 'false';

  /** How to log in to the brokers, with KAFKA_USERNAME and KAFKA_PASSWORD; without it there is no login. */
  @IsOptional()
  @IsIn(['plain', 'scram-sha-256', 'scram-sha-512'])
  KAFKA_SASL?: 'plain' | 'scram-sha-256' | 'scram-sha-512';

  @IsNeededToLogIn()
  KAFKA_USERNAME?: string;

  @IsNeededToLogIn()
  KAFKA_PASSWORD?: string;

  /** Topic that the events are published to; the names of the consumer groups contain it. */
  @Matches(/^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,200}$/, { message: 'KAFKA_TOPIC must be a name that Kafka takes' })
  KAFKA_TOPIC = 'practice.events.v1';

  /** Copies of each partition that Kafka keeps, for a topic that this service creates. */
  @IsWholeNumber(1, 9)
  KAFKA_REPLICATION = 1;
}
