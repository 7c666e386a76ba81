/**
 * Cost by the number of a tenant's event streams at the instance: of a request, whose event is written to each stream,
 * and of a delivery when many events arrive at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { eventsChannel, tenantKey } from '../../src/redis/keys.ts';
import { EVENT, FRAME, PUBLISH } from '../families/streams.ts';
import { openStreams } from '../openStreams.ts';
import { cycle } from '../requests.ts';
import { cpuSeconds, residentKiB } from '../servers.ts';
import { headOf, type Stage } from '../stage.ts';
import { type Cost, costOf, costPanels, linesOf, measureAll, type Sized, sized, THROUGHPUT } from './cost.ts';
import { settle } from './settle.ts';
import type { Findings } from './verdict.ts';

const SIZES = [1, 10, 100, 1000];
/** The number of events in a burst. */
const BURST = 100;
const ROUND_MS = 600;
/** By then all earlier events have been read. */
const QUIET_MS = 200;

interface Delivery {
  readonly perSecond: number;
  /** CPU time of the service. */
  readonly serverUs: number;
}

/** Measures by the number of open streams. */
export async function streams(stage: Stage): Promise<Findings> {
  const costs: Sized<Cost>[] = [];
  const deliveries: Sized<Delivery>[] = [];
  const tenants = await settle(
    stage,
    SIZES.map((n) => `streams-${n}`),
  );
  let ended = 0;
  const resident = await residentKiB(stage.service.pid);
  for (const [i, tenant] of tenants.entries()) {
    const n = SIZES[i] ?? 1;
    const inbox = { bytes: 0, wanted: Number.POSITIVE_INFINITY, arrived: () => {} };
    const opened = await openStreams(stage.service.port, tenant.key, n, (text) => {
      inbox.bytes += text.length;
      if (inbox.bytes >= inbox.wanted) inbox.arrived();
    });
    for (const stream of opened) stream.once('close', () => ended++);
    costs.push(
      sized('a request, its event included', n, async () => {
        const cost = await costOf(stage, (one) => cycle(one), { head: headOf(tenant) });
        await pause(QUIET_MS);
        return cost;
      }),
    );
    deliveries.push(sized('an event to one of the streams', n, () => deliver(stage, tenant, n, inbox)));
  }
  const idle = (await residentKiB(stage.service.pid)) - resident;
  await measureAll([...costs, ...deliveries]);
  if (ended > 0) throw new Error(`${ended} streams ended`);
  const [redis, server, ...shown] = costPanels(costs);
  const [written] = linesOf(deliveries, ({ serverUs }) => serverUs);
  const [request] = server.lines;
  if (written === undefined || request === undefined) throw new Error('nothing was measured');
  return {
    chart: {
      name: 'streams',
      title: 'Reserve and release, by streams of events that the tenant has open',
      of: 'streams',
      panels: [
        redis,
        { title: 'server CPU, µs', isCost: true, lines: [{ ...request, isLinear: true }, written] },
        ...shown.map((panel) =>
          panel.title === THROUGHPUT
            ? {
                ...panel,
                title: 'requests/s; deliveries/s',
                lines: [...panel.lines, ...linesOf(deliveries, ({ perSecond }) => perSecond)],
              }
            : panel,
        ),
      ],
    },
    facts: [
      ...costs.map(({ n, series }) => ({
        what: `requests to a script call, ${n} streams`,
        value: series.figure(({ requestsPerCall }) => requestsPerCall).median,
        unit: '',
      })),
      { what: 'memory of an idle stream', value: idle / SIZES.reduce((sum, n) => sum + n, 0), unit: 'KiB' },
    ],
  };
}

/** Publishes events in bursts for a round, each after the one before has arrived at all streams. */
async function deliver(
  { redis, service }: Stage,
  { tenant }: ConfiguredKey,
  streams: number,
  inbox: { bytes: number; wanted: number; arrived: () => void },
): Promise<Delivery> {
  const [start, before] = [performance.now(), cpuSeconds(service.pid)];
  let count = 0;
  while (performance.now() - start < ROUND_MS) {
    const deliveries = BURST * streams;
    inbox.bytes = 0;
    inbox.wanted = deliveries * FRAME.length;
    const arrived = new Promise<void>((resolve) => {
      inbox.arrived = resolve;
    });
    await redis.eval(PUBLISH, 2, eventsChannel(tenant), tenantKey(tenant), EVENT, BURST);
    await arrived;
    count += deliveries;
  }
  const seconds = (performance.now() - start) / 1000;
  inbox.wanted = Number.POSITIVE_INFINITY;
  return { perSecond: count / seconds, serverUs: ((cpuSeconds(service.pid) - before) * 1e6) / count };
}
