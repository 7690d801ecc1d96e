import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { DeleteRecord } from '../records/records.commands';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { created, removed, updated } from '../records/replies';
import {
  CreateDocumentCollection,
  documentCollectionWriting,
  UpdateDocumentCollection,
} from './document-collection.commands';
import { DocumentCollectionInput, DocumentCollectionPatch } from './document-collection.input';
import {
  DocumentCollectionsQuery,
  DocumentCollectionView,
  documentCollections,
  documentCollectionView,
} from './document-collection.queries';

@ApiTags('documentcollections')
@Controller(':tenant/api/v1/documentcollections')
@Permission('documentcollections:write')
export class DocumentCollectionsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(DocumentCollectionView)
  async create(
    @CurrentContext() context: RequestContext,
    @Body() body: DocumentCollectionInput,
  ): Promise<Reply> {
    return created(
      context,
      'documentcollections',
      await this.commands.execute(new CreateDocumentCollection(context, body)),
      documentCollectionView,
    );
  }

  @Patch(':id')
  @ApiUpdate(DocumentCollectionView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('documentcollection') id: Id,
    @Body() body: DocumentCollectionPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateDocumentCollection(context, id, body)),
      documentCollectionView,
      prefer,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(
    @CurrentContext() context: RequestContext,
    @IdParam('documentcollection') id: Id,
  ): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, documentCollectionWriting, id)));
  }
}

@ApiTags('documentcollections')
@Controller(':tenant/api/v1/documentcollections')
@Permission('documentcollections:read')
export class DocumentCollectionsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(DocumentCollectionView)
  list(@CurrentContext() context: RequestContext, @Query() query: DocumentCollectionsQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, documentCollections, query));
  }

  @Get(':id')
  @ApiOne(DocumentCollectionView)
  one(@CurrentContext() context: RequestContext, @IdParam('documentcollection') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, documentCollections, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('documentcollection') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
