import type { FastifyReply } from 'fastify';
import type { ReadDatabase, WriteDatabase } from '../database';
import { Health } from './health';
import { HealthController } from './health.controller';

const ok = { status: 'ok', checks: { eventStore: 'ok', readModels: 'ok' } };

function made() {
  const state = jest.fn(async () => 'ok' as const);
  const database = { state } as unknown as WriteDatabase & ReadDatabase;
  const controller = new HealthController(database, database, new Health());
  const drain = { isBegun: false };
  const status = jest.fn();
  const ready = () => controller.ready({ status, server: { drain } } as unknown as FastifyReply);
  return { state, drain, status, ready };
}

it('asks each database once for all who ask meanwhile, and anew for the next', async () => {
  const { state, ready } = made();
  expect(await Promise.all(Array.from({ length: 1_000 }, ready))).toEqual(Array(1_000).fill(ok));
  expect(state).toHaveBeenCalledTimes(2);
  expect(await ready()).toEqual(ok);
  expect(state).toHaveBeenCalledTimes(4);
});

it('gives an outage to all who ask meanwhile, with the status', async () => {
  const { state, status, ready } = made();
  state.mockRejectedValueOnce(new Error('away'));
  const lost = { status: 'unavailable', checks: { eventStore: 'unavailable', readModels: 'ok' } };
  expect(await Promise.all([ready(), ready()])).toEqual([lost, lost]);
  expect(status.mock.calls).toEqual([[503], [503]]);
});

it('says that the process stops, also to those who ask while a check is running', async () => {
  const { drain, status, ready } = made();
  const before = ready();
  drain.isBegun = true;
  expect(await ready()).toEqual({ status: 'stopping' });
  expect(status.mock.calls).toEqual([[503]]);
  expect(await before).toEqual(ok);
});
