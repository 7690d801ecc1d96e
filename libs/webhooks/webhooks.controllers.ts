import { Body, Controller, Delete, Get, Headers, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiAction, ApiOne, ApiRemove, ApiUpdate } from '#practice/records/api';
import { WebhookView, WebhookWithSecretView } from './endpoints/endpoint';
import {
  CreateWebhook,
  DeleteWebhook,
  RegisterWebhook,
  SwitchWebhook,
  UpdateWebhook,
} from './endpoints/endpoint.commands';
import {
  ReplayInput,
  RotateSecretInput,
  WebhookInput,
  WebhookPatch,
  WebhookRegistration,
} from './endpoints/endpoint.input';
import { RotateSecret } from './endpoints/endpoint.rotate';
import { DeliveryView } from './log/delivery.views';
import { PageQuery } from './page';
import { ReplayWebhook, TestWebhook } from './queue/delivery.commands';
import { ReplayView } from './queue/replay';
import { GetWebhook, ListWebhooks } from './webhook.queries';
import {
  ApiCreateWithSecret,
  ApiQueued,
  ApiRegistered,
  ApiRotate,
  ApiRows,
  ApiWithoutEvents,
} from './webhooks.api';

@ApiTags('webhooks')
@Controller(':tenant/api/v1/webhooks')
@Permission('webhooks:write')
export class WebhooksWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Put()
  @ApiOperation({ summary: 'Create or replace the webhook with that id' })
  @ApiRegistered()
  register(@CurrentContext() context: RequestContext, @Body() body: WebhookRegistration): Promise<Reply> {
    return this.commands.execute(new RegisterWebhook(context, body));
  }

  @Post()
  @ApiWithoutEvents()
  @ApiCreateWithSecret(WebhookWithSecretView)
  create(@CurrentContext() context: RequestContext, @Body() body: WebhookInput): Promise<Reply> {
    return this.commands.execute(new CreateWebhook(context, body));
  }

  @Patch(':id')
  @ApiWithoutEvents()
  @ApiUpdate(WebhookView)
  update(
    @CurrentContext() context: RequestContext,
    @IdParam('webhook') id: Id,
    @Body() body: WebhookPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return this.commands.execute(new UpdateWebhook(context, id, body, prefer));
  }

  @Post(':id/pause')
  @ApiWithoutEvents()
  @ApiAction(WebhookView)
  pause(@CurrentContext() context: RequestContext, @IdParam('webhook') id: Id): Promise<Reply> {
    return this.commands.execute(new SwitchWebhook(context, id, true));
  }

  @Post(':id/resume')
  @ApiWithoutEvents()
  @ApiOperation({ summary: 'Resume a webhook, and enable it' })
  @ApiAction(WebhookView)
  resume(@CurrentContext() context: RequestContext, @IdParam('webhook') id: Id): Promise<Reply> {
    return this.commands.execute(new SwitchWebhook(context, id, false));
  }

  @Post(':id/rotate-secret')
  @ApiWithoutEvents()
  @ApiOperation({
    summary: 'Give a webhook a new secret; messages are also signed with the old one for 24 hours',
    description:
      'At most the three newest of the old secrets are still used to sign; any others are dropped at once.',
  })
  @ApiRotate(WebhookWithSecretView)
  rotateSecretOf(
    @CurrentContext() context: RequestContext,
    @IdParam('webhook') id: Id,
    @Body() body: RotateSecretInput,
  ): Promise<Reply> {
    return this.commands.execute(new RotateSecret(context, id, body));
  }

  @Post(':id/test')
  @HttpCode(202)
  @ApiWithoutEvents()
  @ApiOperation({
    summary: 'Send a webhook a message of the type webhook.test',
    description: 'Also needs the permission `webhooks:read`, because the message has the webhook itself.',
  })
  @ApiQueued(DeliveryView)
  test(@CurrentContext() context: RequestContext, @IdParam('webhook') id: Id): Promise<Reply> {
    return this.commands.execute(new TestWebhook(context, id));
  }

  @Post(':id/replay')
  @HttpCode(202)
  @ApiWithoutEvents()
  @ApiOperation({
    summary: 'Send a webhook the events of a period again',
    description:
      'Also needs the permissions to read all events to which the webhook subscribes. At most ten replays of a webhook ' +
      'can be under way at once. A replay queues more messages as the queued ones are sent, and ends when the webhook ' +
      'is disabled, or the integration that last changed it may no longer use the tenant. Replays of such a webhook ' +
      'are refused with 409.',
  })
  @ApiQueued(ReplayView)
  replay(
    @CurrentContext() context: RequestContext,
    @IdParam('webhook') id: Id,
    @Body() body: ReplayInput,
  ): Promise<Reply> {
    return this.commands.execute(new ReplayWebhook(context, id, body));
  }

  @Delete(':id')
  @ApiWithoutEvents()
  @ApiRemove()
  remove(@CurrentContext() context: RequestContext, @IdParam('webhook') id: Id): Promise<Reply> {
    return this.commands.execute(new DeleteWebhook(context, id));
  }
}

@ApiTags('webhooks')
@Controller(':tenant/api/v1/webhooks')
@Permission('webhooks:read')
export class WebhooksReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiRows(WebhookView)
  list(@CurrentContext() context: RequestContext, @Query() query: PageQuery): Promise<Reply> {
    return this.queries.execute(new ListWebhooks(context, query));
  }

  @Get(':id')
  @ApiOne(WebhookView)
  one(@CurrentContext() context: RequestContext, @IdParam('webhook') id: Id): Promise<Reply> {
    return this.queries.execute(new GetWebhook(context, id));
  }
}
