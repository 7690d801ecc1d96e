import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { register } from 'prom-client';
import { Public } from '../auth/permission.guard';

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  private collecting?: Promise<string>;

  /** Prometheus text format 0.0.4. Those who ask while the values are collected share them. */
  @Get()
  @Public()
  @Header('Content-Type', register.contentType)
  metrics(): Promise<string> {
    this.collecting ??= register.metrics().finally(() => {
      this.collecting = undefined;
    });
    return this.collecting;
  }
}
