import { ApiProperty } from '@nestjs/swagger';
import { replayModes } from '../endpoints/endpoint.input';

/** A replay as the API shows it. */
export class ReplayView {
  @ApiProperty({ example: 'replay_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty({
    format: 'date-time',
    description:
      'The beginning of the period whose events are sent, which may be another than was asked for.',
  })
  since: string;

  @ApiProperty({ format: 'date-time', description: 'The end of the period.' })
  until: string;

  @ApiProperty({
    enum: replayModes,
    description: '`failed`: sends what was not delivered. `all`: sends all events of the period again.',
  })
  mode: string;
}
