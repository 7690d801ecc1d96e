import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { register } from 'prom-client';
import { Public } from '../auth/permission.guard';

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  /** Prometheus text format 0.0.4. */
  @Get()
  @Public()
  @Header('Content-Type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }
}
