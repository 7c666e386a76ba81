/**
 * Fairness while another tenant sends as much as it can: the time of one reserve every 20 ms, alone and
 * beside each offender. The limits are those of tier Enterprise. The offender is a process of its own.
 */
import { fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { configuredLoader } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { changeHot } from '../../test/support/hotRecord.ts';
import { Connection } from '../client.ts';
import { OFFENDERS } from '../fairness/offenders.ts';
import { percentilesOf } from '../load.ts';
import { freshName } from '../requests.ts';
import { type Figure, figureOf } from '../rounds.ts';
import { pin, type RunningServer, SERVICE, startServer } from '../servers.ts';
import { headOf, makeTenant, resetAll, type Stage } from '../stage.ts';
import { readable, type Table } from '../table.ts';

const EVERY_MS = 20;
const ROUND_MS = 2500;
/** The first is a warm-up, as in other families: code that no request has run yet is slow. */
const ROUNDS = 4;
/** Connections of the tenant that is measured. A late response must not delay the next request. */
const CONNECTIONS = 16;
/** By then an offender is under way. */
const STARTED_MS = 400;
const MAX_RATIO = 3;
const MAX_MS = 25;

const Answers = z.record(z.string(), z.number());

/** Sends a reserve every 20 ms. Returns their times in ms, from the moment at which each was due. */
async function timesOf(server: RunningServer, head: string): Promise<number[]> {
  const idle = Array.from({ length: CONNECTIONS }, () => new Connection(server.port, head));
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const start = performance.now();
  for (let due = start; due < start + ROUND_MS; due += EVERY_MS) {
    await pause(Math.max(0, due - performance.now()));
    pending.push(
      (async () => {
        const one = idle.pop() ?? new Connection(server.port, head);
        const body = `[{"resource":"${freshName()}","requester":"r","ttlSeconds":3600}]`;
        const isOk = await one.tryPost('/api/v1/Reservation/reserve', body);
        times.push(isOk ? performance.now() - due : Number.POSITIVE_INFINITY);
        idle.push(one);
      })(),
    );
  }
  await Promise.all(pending);
  for (const one of idle) one.close();
  return times;
}

export async function fairness(stage: Stage, table: Table): Promise<void> {
  const { redis, env, say } = stage;
  const quiet = makeTenant('quiet');
  const loud = OFFENDERS.map((_, i) => makeTenant(`loud-${i}`));
  const server = await startServer(SERVICE, { ...env, TIERS: '{}', API_KEYS: JSON.stringify([quiet, ...loud]) });
  pin(0, [server.pid]);
  const loadTenant = configuredLoader(redis, configuredTenants(loud));
  // Without the limits, so that the state can be built at once.
  const engine: Engine = { redis, loadTenant, tiers: stage.engine.tiers };
  for (const [i, { prepare }] of OFFENDERS.entries()) {
    const { tenant, key } = loud[i] ?? quiet;
    await prepare?.(engine, { tenant, credentialKey: digestOf(key), kind: 'key' });
  }
  const alone: number[][] = [];
  const beside: number[][][] = OFFENDERS.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await timesOf(server, headOf(quiet)));
    for (const [i, offender] of OFFENDERS.entries()) {
      const { tenant, key } = loud[i] ?? quiet;
      await setUsed(stage, tenant, offender.isUsedUp ? (DEFAULT_TIERS.Enterprise.writesPerMinute ?? 0) : 0);
      const child = fork(new URL('../fairness/offend.ts', import.meta.url), [`${i}`, `${server.port}`, key]);
      if (child.pid !== undefined) pin(1, [child.pid]);
      let answers: z.infer<typeof Answers> = {};
      child.on('message', (message) => {
        answers = Answers.parse(message);
      });
      await new Promise((resolve) => child.once('message', resolve));
      await pause(STARTED_MS);
      const times = await timesOf(server, headOf(quiet));
      beside[i]?.push(times);
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
      say(`${offender.name}: ${JSON.stringify(answers)}, p50 ${readable(percentilesOf(times).p50Ms)} ms`);
    }
  }
  // All rounds after the warm-up together, since one has too few requests for a percentile.
  const figure = (rounds: readonly number[][]): Figure => figureOf([percentilesOf(rounds.slice(1).flat()).p99Ms]);
  table.add({ what: 'p99 of a reserve every 20 ms, no other tenant', figure: figure(alone), unit: 'ms' });
  for (const [i, { name }] of OFFENDERS.entries()) {
    const what = `p99 beside ${name}`;
    const row = { figure: figure(beside[i] ?? []), unit: 'ms' };
    table.add({
      ...row,
      what,
      beside: { what: 'no other tenant', figure: figure(alone) },
      target: { of: 'ratio', atMost: MAX_RATIO },
    });
    table.add({ ...row, what, target: { of: 'figure', atMost: MAX_MS } });
  }
  for (const { tenant } of loud) await setUsed(stage, tenant, 0);
  await resetAll({ ...stage, service: server }, [quiet, ...loud]);
  await server.stop();
}

/** Sets the number of writes that a tenant has used of its minute, which begins now. */
async function setUsed({ redis }: Stage, tenant: string, writes: number): Promise<void> {
  const now = Date.now();
  const day = Math.floor(now / 86_400_000);
  await changeHot(redis, tenant, { minuteStart: now, minute: writes, day, today: writes });
}
