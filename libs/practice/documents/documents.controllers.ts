import { Body, Controller, Delete, Get, Headers, Patch, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { type Upload, UploadedBody } from '#platform/http/body/upload';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiAction, ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { DeleteRecord, UpdateRecord } from '../records/records.commands';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { acted, created, removed, updated } from '../records/replies';
import { ApiDownload, ApiUpload } from './document.api';
import { documentWriting } from './document.commands';
import { DownloadDocument, DownloadQuery } from './document.download';
import {
  DocumentForm,
  DocumentPatch,
  DocumentUploadQuery,
  DocumentVersionForm,
  DocumentVersionQuery,
} from './document.input';
import { DocumentsQuery, DocumentView, documents, documentView } from './document.queries';
import { DocumentUploads } from './document.upload';

@ApiTags('documents')
@Controller(':tenant/api/v1/documents')
@Permission('documents:write')
export class DocumentsWriteController {
  constructor(
    private readonly commands: CommandBus,
    private readonly uploads: DocumentUploads,
  ) {}

  @Post()
  @ApiUpload(DocumentForm)
  @ApiCreate(DocumentView)
  async create(
    @CurrentContext() context: RequestContext,
    @UploadedBody() upload: Upload,
    @Query() query: DocumentUploadQuery,
  ): Promise<Reply> {
    const written = await this.uploads.create({ context, upload, query });
    return created(context, 'documents', written, documentView);
  }

  @Post(':id/versions')
  @ApiUpload(DocumentVersionForm)
  @ApiAction(DocumentView)
  async addVersionTo(
    @CurrentContext() context: RequestContext,
    @IdParam('document') id: Id,
    @UploadedBody() upload: Upload,
    @Query() query: DocumentVersionQuery,
  ): Promise<Reply> {
    return acted(await this.uploads.addVersion({ context, upload, query }, id), documentView);
  }

  @Patch(':id')
  @ApiUpdate(DocumentView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('document') id: Id,
    @Body() body: DocumentPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, documentWriting, id, body)),
      documentView,
      prefer,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('document') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, documentWriting, id)));
  }
}

@ApiTags('documents')
@Controller(':tenant/api/v1/documents')
@Permission('documents:read')
export class DocumentsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(DocumentView)
  list(@CurrentContext() context: RequestContext, @Query() query: DocumentsQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, documents, query));
  }

  @Get(':id')
  @ApiOne(DocumentView)
  one(@CurrentContext() context: RequestContext, @IdParam('document') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, documents, id));
  }

  @Get(':id/download')
  @ApiDownload()
  download(
    @CurrentContext() context: RequestContext,
    @IdParam('document') id: Id,
    @Query() query: DownloadQuery,
    @Req() { method, headers }: FastifyRequest,
  ): Promise<Reply> {
    return this.queries.execute(
      new DownloadDocument(context, id, query, {
        headersOnly: method === 'HEAD',
        range: headers.range,
        ifRange: headers['if-range'] as string | undefined,
        ifNoneMatch: headers['if-none-match'],
      }),
    );
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('document') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
