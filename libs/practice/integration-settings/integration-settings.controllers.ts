import { applyDecorators, Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { AsJsonText, type JsonText } from '#platform/http/body/json-body';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { envelope } from '../records/api';
import { PutIntegrationSettings } from './integration-settings.commands';
import { GetIntegrationSettings, type IntegrationSettings } from './integration-settings.queries';

const anyObject = {
  type: 'object',
  additionalProperties: true,
  description:
    'Any object that the integration wants to keep with this tenant, of at most 64 KiB and 20 levels. No other ' +
    'integration can see it. Do not put secrets into it, because it is stored as it is sent.',
  example: { folder: 'Correspondence', syncedTo: '2025-06-12T10:00:00Z' },
};

function ApiSettings(): MethodDecorator {
  const version = {
    description:
      'The version of the settings, for If-Match. It is `"0"` while the integration has stored none.',
    schema: { type: 'string' },
  };
  return applyDecorators(ApiOkResponse({ ...envelope(anyObject), headers: { ETag: version } }));
}

function answer({ settings, version }: IntegrationSettings): Reply {
  return new Reply(200, `{"success":true,"data":${settings}}`, {
    'Content-Type': 'application/json; charset=utf-8',
    ETag: `"${version}"`,
  });
}

@ApiTags('integrations')
@Controller(':tenant/api/v1/integrations/tenantSettings')
@Permission('integrations:write')
export class IntegrationSettingsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Put()
  @AsJsonText()
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The ETag of the version that you have read. The request is refused with 412 when the settings have another ' +
      'version by now.',
  })
  @ApiOperation({ summary: 'Replace the settings that the integration keeps with the tenant' })
  @ApiBody({ schema: anyObject })
  @ApiSettings()
  async replace(@CurrentContext() context: RequestContext, @Body() body: unknown): Promise<Reply> {
    const put = new PutIntegrationSettings(context, body as JsonText | undefined);
    return answer(await this.commands.execute(put));
  }
}

@ApiTags('integrations')
@Controller(':tenant/api/v1/integrations/tenantSettings')
@Permission('integrations:read')
export class IntegrationSettingsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'Read the settings that the integration keeps with the tenant' })
  @ApiSettings()
  async current(@CurrentContext() context: RequestContext): Promise<Reply> {
    return answer(await this.queries.execute(new GetIntegrationSettings(context)));
  }
}
