/**
 * A process that changes a tenant and dies on the way: just before its so-and-so-many-th write to a server, counted
 * from where the change begins, it kills itself. Run by test/definitions/deaths.thorough.test.ts; exits with 0 where it
 * got through.
 */
import { Socket } from 'node:net';
import { z } from 'zod';
import { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import { WorkingCopy } from '../../src/definitions/workingCopy.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { createRedis } from '../../src/redis/client.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { send } from '../../src/redis/send.ts';
import { Database } from '../../src/store/database.ts';
import { rotateKey } from '../../src/store/keys.ts';
import { suspendTenant } from '../../src/store/tenants.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { until } from './until.ts';

export const Task = z.object({
  change: z.enum(['register', 'delete', 'rotate', 'suspend', 'load']),
  dieAt: z.number(),
  tenant: z.string(),
  key: z.string(),
  keyId: z.string(),
  newDigest: z.string(),
  redisUrl: z.string(),
  databaseUrl: z.string(),
});

const task = Task.parse(JSON.parse(process.env.TASK ?? ''));
const database = await Database.open(task.databaseUrl, 2, createLogger('silent'));
const redis = createRedis(task.redisUrl, () => {});
defineScripts(redis, loadScripts(DEFAULT_TIERS));
// Many of these start at the same time: a busy machine may need longer than send() waits.
await until('Redis', () => send(() => redis.ping()).catch(() => null));
await database.run((db) => db.execute('select 1'));
const copy = new WorkingCopy(database, { redis, tiers: DEFAULT_TIERS });
const engine: Engine = { redis, tiers: DEFAULT_TIERS, loadTenant: (id) => copy.refresh(id) };
const changes = changeInDatabase(database, engine, copy);
const credential = { tenant: task.tenant, credentialKey: digestOf(task.key), kind: 'key' as const };

let writes = 0;
Socket.prototype.write = new Proxy(Socket.prototype.write, {
  apply: (write, socket, args) => {
    if (++writes === task.dieAt) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(write, socket, args);
  },
});

const item = (name: string, treePath: string[] = []) => ({
  name,
  capacity: 2,
  blocks: [],
  treePath: treePath.join('>') || null,
});
const BY = { actor: 'person:test', address: null };

const CHANGES = {
  register: () => changes.register(credential, [item('old', ['top', 'middle']), item('new')]),
  delete: () => changes.delete(credential, 'old', true),
  rotate: () =>
    rotateKey({ database, redis }, task.tenant, task.keyId, { digest: task.newDigest, sealed: 'sealed' }, BY),
  suspend: () => suspendTenant({ database, redis }, task.tenant, BY),
  load: () => copy.refresh(task.tenant),
};
await CHANGES[task.change]();
process.exit(0);
