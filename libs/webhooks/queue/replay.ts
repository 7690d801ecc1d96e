import { ApiProperty } from '@nestjs/swagger';
import { replayModes } from '../endpoints/endpoint.input';

/** A replay as the API shows it. */
export class ReplayView {
  @ApiProperty({ example: 'replay_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ format: 'date-time' })
  until: string;

  @ApiProperty({ enum: replayModes })
  mode: string;
}
