/**
 * Batches of 10, 100 and 500 items, compared with the same scripts without HTTP and with redlock on the same Redis. For
 * both peers, this process and Redis have a core each.
 */
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { cpuOf, load } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { REDLOCK, startRedlock } from '../peers/redlock.ts';
import { cycle, freshName } from '../requests.ts';
import { inTurn, Series } from '../rounds.ts';
import { loadOver, resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

/** The number of clients that send batches of a size: it limits the number of items in flight. */
const ITEMS_UNDER_WAY = 4000;
const LOCKERS = 64;

export async function batches(stage: Stage, table: Table): Promise<void> {
  const { service, tenant, redisServer } = stage;
  const subscriber = await openStreams(service.port, tenant.key, 1);
  const redlock = await startRedlock(redisServer);
  const lockers = await redlock.clients(LOCKERS);
  for (const size of [10, 100, 500]) {
    const clients = Math.min(64, ITEMS_UNDER_WAY / size);
    const http = new Series(() => loadOver(stage, service, clients, (one) => cycle(one, size)));
    const scripts = new Series(() =>
      straight(stage, () => load(Array.from({ length: clients }, () => () => cycleStraight(stage, size)))),
    );
    const locks = new Series(() => straight(stage, () => load(lockers)));
    await inTurn([http, scripts, locks]);

    const figure = http.figure(({ perSecond }) => perSecond * size);
    const row = { figure, unit: 'cycles/s', cpu: cpuOf(http.samples) };
    const aim = (atLeast: number) => (size === 100 ? ({ of: 'ratio', atLeast } as const) : undefined);
    table.add({
      ...row,
      what: `batches of ${size}, ${clients} connections`,
      beside: { what: 'scripts called straight', figure: scripts.figure(({ perSecond }) => perSecond * size) },
      target: aim(0.7),
    });
    table.add({
      ...row,
      what: `batches of ${size}, ${clients} connections`,
      beside: { what: `${REDLOCK}, ${LOCKERS} clients`, figure: locks.figure(({ perSecond }) => perSecond) },
      target: aim(1.3),
    });
  }
  await redlock.stop();
  for (const stream of subscriber) stream.destroy();
  await resetAll(stage, [tenant]);
}

/** Reserves and releases a batch through the engine in this process. */
export async function cycleStraight({ engine, credential }: Stage, size: number): Promise<void> {
  const items = Array.from({ length: size }, () => ({
    resource: freshName(),
    requester: 'worker-1',
    ttlSeconds: 3600,
  }));
  await unreserve(engine, credential, (await reserve(engine, credential, items)).result);
}
