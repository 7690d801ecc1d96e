import { toldOf } from '#platform/database/database-refusal';
import { explainTo } from './explain';

it('names a missing right and its database, without the statement that needed the right', async () => {
  const message = 'create table "migrations" ("id" serial) - permission denied for schema public';
  const denied = Promise.reject(Object.assign(new Error(message), { code: '42501' }));
  const error = await toldOf('READ_DATABASE_URL', denied).catch((thrown) => thrown);
  const told: string[] = [];
  explainTo((line) => told.push(line), error, false);
  expect(told).toEqual([
    "READ_DATABASE_URL: The database's role lacks a right: permission denied for schema public",
  ]);
});
