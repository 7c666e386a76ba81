/**
 * A process that is killed between its writes to the database and to Redis, at every step of a change: it is done or it
 * is not, and Redis comes to have what the database has (docs/specification.md#store-modes-and-start).
 */
import { spawn } from 'node:child_process';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Credential } from '../../src/domain/tenants.ts';
import { versionsInRedis } from '../../src/engine/definitions/copy.ts';
import { digestOf, makeKey } from '../../src/identity/credentials.ts';
import { listKeys } from '../../src/store/keys.ts';
import { readRecord } from '../../src/store/records.ts';
import { definitions as rows } from '../../src/store/schema.ts';
import { forget } from '../support/hotRecord.ts';
import { allDefinitions } from '../support/listed.ts';
import { engineOn, KINDS, type OpenStore, openStore, storeTenant, type TestDatabase } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { reserve } from '../support/verbs.ts';

const CHANGES = ['register', 'delete', 'rotate', 'suspend', 'load'] as const;
/** Deaths at a time: many where each waits for a lease to lapse. */
const AT_ONCE = { register: 1, delete: 3, rotate: 1, suspend: 1, load: 2 };
/** Dies at every fifth step, on a PGlite at every sixth; at every step in the nightly run (DEATHS=all). */
const STRIDE = process.env.DEATHS === 'all' ? { Postgres: 1, PGlite: 1 } : { Postgres: 5, PGlite: 6 };
/** More steps than any change takes. */
const MAX_STEPS = 40;

const item = (name: string, treePath: string[] = []) => ({
  name,
  capacity: 1,
  blocks: [],
  treePath: treePath.join('>') || null,
});

/** Repeats what a database that is busy with other tests did not answer in time, as its error says. */
async function repeated<T>(work: () => Promise<T>, times = 5): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (times === 0 || !String(error).includes('repeat the call')) throw error;
    return repeated(work, times - 1);
  }
}

describe.each(['Postgres', 'PGlite'] as const)('on %s', (kind) => {
  const stride = STRIDE[kind];
  let made: TestDatabase;
  let opening: Promise<OpenStore> | null = null;
  beforeAll(async () => {
    made = await KINDS[kind]();
  });
  afterAll(async () => {
    await (await opening)?.close();
    await made.drop();
  });

  /** Lets a process make the change and die; returns whether it did die. */
  async function dies(task: Record<string, string | number>): Promise<boolean> {
    const child = spawn(process.execPath, [inject('programs').dying], {
      env: { ...process.env, TASK: JSON.stringify({ ...task, redisUrl: inject('redisUrl'), databaseUrl: made.url }) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
      child.once('exit', (...how) => resolve(how)),
    );
    expect(signal ?? code).toSatisfy((how) => how === 'SIGKILL' || how === 0);
    return signal === 'SIGKILL';
  }

  async function open() {
    opening ??= openStore(made.url);
    const store = await opening;
    return { store, ...engineOn(store) };
  }

  /** A PGlite has one process at a time. */
  async function close() {
    if (kind !== 'PGlite') return;
    await (await opening)?.close();
    opening = null;
  }

  // Changes wait for leases to lapse: where there are several processes, side by side.
  const each = kind === 'PGlite' ? test.each(['register', 'rotate'] as const) : test.concurrent.each(CHANGES);
  each(
    '%s',
    async (change) => {
      const run = async (dieAt: number): Promise<boolean> => {
        const before = await open();
        const { key, tenant } = await storeTenant(before.store);
        const credential: Credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
        const many = change === 'load' ? Array.from({ length: 300 }, (_, i) => item(`leaf${i}`, ['top'])) : [];
        await repeated(() =>
          before.changes.register(credential, [item('old', ['top']), item('below', ['top', 'old']), ...many]),
        );
        if (change === 'load') await forget(before.store.redis, tenant);
        const [row] = await listKeys(before.store, tenant);
        const newKey = makeKey(tenant);
        await close();

        // Not earlier: the tenants of the other deaths would be copied again, too.
        const begunAt = new Date(Date.now() - 1000);
        const died = await dies({ change, dieAt, tenant, key, keyId: row?.id ?? '', newDigest: digestOf(newKey) });

        const { store: after, copy, engine } = await open();
        await repeated(() => copy.refreshChanged(begunAt));
        const stored = await repeated(() => after.database.run((db) => readRecord(db, tenant)));
        const valid: Credential = { ...credential, credentialKey: stored?.record.keys[0]?.digest ?? '' };
        // The next caller finds Redis as the database is.
        const listed = await allDefinitions(engine, valid).catch((error: unknown) => String(error));
        const there = await repeated(() =>
          after.database.run((db) => db.select().from(rows).where(eq(rows.tenantId, tenant))),
        );
        const isSuspended = stored?.record.suspended === true;
        if (!isSuspended) {
          if (typeof listed === 'string') throw new Error(listed);
          expect(listed.map(({ name, capacity }) => [name, capacity])).toEqual(
            there
              .map(({ name, capacity }) => [name, capacity])
              .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
          );
        } else expect(listed).toContain('suspended');
        expect(await versionsInRedis(after.redis, tenant)).toEqual({
          version: stored?.record.version,
          definitionsVersion: stored?.definitionsVersion,
        });
        const fields = await after.redis.hkeys(`{${tenant}}:tenant`);
        const digests = fields.flatMap((field) => /^key:(.*)/.exec(field)?.[1] ?? []);
        expect(digests).toEqual(stored?.record.keys.map(({ digest }) => digest));
        // Done, or not at all.
        const names = there.map(({ name }) => name).sort();
        if (change === 'register')
          expect([
            ['below', 'old', 'top'],
            ['below', 'middle', 'new', 'old', 'top'],
          ]).toContainEqual(names);
        if (change === 'delete') {
          expect([['below', 'old', 'top'], ['top']]).toContainEqual(names);
          // Names of an unfinished deletion are closed for 10 s at most.
          const free = async () => (await reserve(engine, valid, [{ resource: 'below', requester: 'r' }]))[0]?.status;
          if (names.length === 3) await until('it can be reserved', async () => (await free()) === 'ACQUIRED', 15_000);
        }
        if (!died) await close();
        return died;
      };
      // One of the last runs gets through. Several run at a time, except on PGlite, which has one process.
      const atOnce = kind === 'PGlite' ? 1 : AT_ONCE[change];
      let step = 1;
      for (let died = true; died; step += atOnce * stride) {
        const outcomes = await Promise.all(Array.from({ length: atOnce }, (_, i) => run(step + i * stride)));
        died = outcomes.every(Boolean);
        if (step > MAX_STEPS) throw new Error('the change never gets through');
      }
      expect(step).toBeGreaterThan(2);
    },
    300_000,
  );
});
