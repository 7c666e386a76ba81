/**
 * Changes of owner per second while 64 callers want one name: they wait, on one instance, on two, and at a bare server
 * that keeps its queue in memory; or they poll, and redlock's clients poll. Compared with the reserve-unreserve cycles
 * of one connection in the same run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../client.ts';
import { cpuOf, type Load, load } from '../load.ts';
import { newToken, REDLOCK, type Redlock, startRedlock } from '../peers/redlock.ts';
import { cycle, freshName, release, reserveInTurn, tryCycle } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { pin, type RunningServer, startServer } from '../servers.ts';
import { headOf, loadOver, type Stage, straight } from '../stage.ts';
import type { Table, Target } from '../table.ts';
import { watchArrivals } from './arrivals.ts';

const CALLERS = 64;
/** The defaults of the package `redlock`: 200 ms, up to 100 more or less. */
const RETRY_MS = 200;
const JITTER_MS = 100;

interface Contest extends Load {
  readonly changesPerSecond: number;
  /** The number of owners in turn. */
  readonly owners: number;
}

/** Notes the owners of a name, in their order. */
class Owners {
  #last = '';
  changes = 0;
  total = 0;

  next(owner: string): void {
    if (owner !== this.#last) this.changes++;
    this.#last = owner;
    this.total++;
  }
}

/** @param other a second instance */
export async function handOvers(stage: Stage, table: Table, other: RunningServer): Promise<void> {
  const { service, redisServer } = stage;
  const redlock = await startRedlock(redisServer);
  const bare = await startServer('bench/waiting/bareTurns.ts', {});
  pin(0, [bare.pid]);
  const cycles = new Series(() => loadOver(stage, service, 1, (one) => cycle(one)));
  const alone = new Series(() => waitInTurn(stage, [service]));
  const spread = new Series(() => waitInTurn(stage, [service, other]));
  const inMemory = new Series(() => waitInTurn(stage, [bare]));
  const polling = new Series(() =>
    contest(stage, [service], async (one, name, requester, owners) => {
      if (await tryCycle(one, name, requester)) owners.next(requester);
    }),
  );
  const locks = new Series(() => straight(stage, () => lockInTurn(redlock, () => undefined)));
  const patient = new Series(() => straight(stage, () => lockInTurn(redlock, () => pause(retryMs()))));
  await inTurn([cycles, alone, spread, inMemory, polling, locks, patient]);
  await Promise.all([redlock.stop(), bare.stop()]);

  const beside = { what: 'reserve + unreserve, 1 connection', figure: cycles.figure(({ perSecond }) => perSecond) };
  const row = (what: string, series: Series<Contest>, target?: Target) =>
    table.add({
      what: `one name, ${CALLERS} callers: ${what}`,
      figure: series.figure(({ changesPerSecond }) => changesPerSecond),
      unit: 'changes/s',
      beside,
      target,
      cpu: cpuOf(series.samples),
    });
  row('they wait, one instance', alone, { of: 'ratio', atLeast: 0.7 });
  row('they wait, two instances', spread, { of: 'ratio', atLeast: 0.5 });
  row('they wait at a bare server', inMemory);
  row('they poll without delay', polling);
  row(`${REDLOCK}, no delay`, locks);
  row(`${REDLOCK}, its default delay`, patient);
  for (const [where, servers] of [
    ['one instance', [service]],
    ['two instances', [service, other]],
  ] as const)
    table.add({
      what: `owners who overtook somebody, ${where}`,
      figure: figureOf([await countOvertakers(stage, servers)]),
      unit: 'owners',
      target: { of: 'figure', atMost: 0 },
    });
}

/** Callers on these instances wait for a name, release it and wait again. */
const waitInTurn = (stage: Stage, servers: readonly RunningServer[], name = freshName()): Promise<Contest> =>
  contest(
    stage,
    servers,
    async (one, _, requester, owners) => {
      const results = await reserveInTurn(one, name, requester);
      owners.next(requester);
      await release(one, results);
    },
    name,
  );

/** Returns how many owners overtook a caller that arrived earlier. The stream of events that tells this costs time. */
async function countOvertakers(stage: Stage, servers: readonly RunningServer[]): Promise<number> {
  const name = freshName();
  const arrivals = await watchArrivals(stage, name);
  const { owners } = await waitInTurn(stage, servers, name);
  return arrivals.overtakers(owners);
}

/**
 * Runs callers who want one name for a round.
 * @param servers the instances, among which the callers are spread
 * @param work repeated by each caller. It notes each owner
 */
async function contest(
  { tenant, service, redisServer }: Stage,
  servers: readonly RunningServer[],
  work: (connection: Connection, name: string, requester: string, owners: Owners) => Promise<unknown>,
  name = freshName(),
): Promise<Contest> {
  const owners = new Owners();
  const opened = Array.from({ length: CALLERS }, (_, i) => {
    const server = servers[i % servers.length] ?? service;
    return new Connection(server.port, headOf(tenant));
  });
  const watched = {
    ...Object.fromEntries(servers.map(({ pid }, i) => [i === 0 ? 'server' : 'other server', pid])),
    redis: redisServer.pid,
  };
  const result = await load(
    opened.map((connection, i) => () => work(connection, name, `caller-${i}`, owners)),
    watched,
  );
  for (const connection of opened) connection.close();
  return { ...result, changesPerSecond: owners.changes / result.seconds, owners: owners.total };
}

/**
 * Redlock's clients lock and unlock one name for a round.
 * @param delay waits before the next try
 */
async function lockInTurn(redlock: Redlock, delay: () => Promise<unknown> | undefined): Promise<Contest> {
  const owners = new Owners();
  const name = `lock:${freshName()}`;
  const result = await load(
    Array.from({ length: CALLERS }, (_, i) => async () => {
      const token = newToken();
      if (!(await redlock.lock(name, token))) return delay();
      owners.next(`client-${i}`);
      await redlock.unlock(name, token);
    }),
  );
  return { ...result, changesPerSecond: owners.changes / result.seconds, owners: owners.total };
}

const retryMs = () => RETRY_MS + (2 * Math.random() - 1) * JITTER_MS;
