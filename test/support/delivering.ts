/**
 * Deliveries of a tenant of its own to receivers on this machine, as a worker makes them, without a database.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { maskOf } from '../../src/domain/eventTypes.ts';
import type { DisabledReason } from '../../src/domain/notices.ts';
import { startCursor } from '../../src/engine/notices/cursors.ts';
import { outboxState } from '../../src/engine/notices/outboxState.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { Deliveries } from '../../src/notices/deliveries.ts';
import type { Result } from '../../src/notices/delivery.ts';
import type { Reader } from '../../src/notices/sending.ts';
import { webhookOutlet } from '../../src/notices/webhook.ts';
import { cursorsKey, tenantKey } from '../../src/redis/keys.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { startEngine } from './engine.ts';
import { type Got, type Receiver, startReceiver } from './receiver.ts';
import { makeConfiguredKey, makeTenant } from './service.ts';
import { until } from './until.ts';
import { reserve } from './verbs.ts';

const Body = z.strictObject({
  type: z.literal('holdfast.events'),
  timestamp: z.iso.datetime(),
  data: z.strictObject({
    tenantId: z.string(),
    events: z.array(z.looseObject({ id: z.string(), type: z.string(), missed: z.number().nullable().optional() })),
  }),
});

const RULES = { allowPrivate: true, allowHttp: true };

export type Delivering = Awaited<ReturnType<typeof startDelivering>>;

/** Starts a tenant with an outbox that wants all types of events, and a worker. */
export async function startDelivering(includes?: Readonly<Record<string, string>>) {
  const key = makeConfiguredKey(makeTenant());
  const { engine, credential, stop } = await startEngine(key.tenant, undefined, includes, {}, key);
  const { redis } = engine;
  const [tenant, secret] = [key.tenant, `whsec_${randomBytes(24).toString('base64')}`];
  const record = configuredTenants([key]).get(tenant);
  if (record === undefined) throw new Error('no record');
  const notices = { types: maskOf(['*']), personTypes: 0 };
  await loadTenant(redis, { ...record, notices }, { definitionsVersion: 0, lease: null });
  let readers: Reader[] | null = [];
  const disabled: [string, DisabledReason][] = [];
  const results: Result[] = [];
  const logged: string[] = [];
  const startWorker = () =>
    new Deliveries({
      redis,
      readersOf: async () => readers,
      disable: async (_, id, reason) => {
        disabled.push([id, reason]);
        readers = (readers ?? []).filter((one) => one.id !== id);
      },
      onAttempt: (_, result) => results.push(result),
      log: createLogger('trace', { write: (line) => void logged.push(line) }),
    });
  const worker = startWorker();
  const receivers: Receiver[] = [];
  /** Adds a webhook whose events begin now. */
  const subscribe = async (changes: Partial<Reader> = {}) => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const id = randomUUID();
    const { send, everyMs, maxEvents } = webhookOutlet(RULES);
    const target = { url: receiver.url };
    const opened = {
      id,
      tenant,
      kind: 'webhook',
      label: '',
      types: [],
      prefix: '',
      target,
      secrets: [secret],
    } as const;
    const sending: Reader['send'] = (batch, signal) => send(opened, batch, signal);
    const reader = { id, tenant, kind: 'webhook', types: ['*'], prefix: '', everyMs, maxEvents, send: sending };
    await startCursor(redis, tenant, id, 'end', false);
    readers = [...(readers ?? []), { ...reader, ...changes }];
    return { ...receiver, id };
  };
  /** Reads a request, and checks its form and signature. */
  const open = ({ body, headers }: Got) => {
    const checked = new Webhook(secret).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    });
    return Body.parse(checked).data.events;
  };
  /** Changes what a cursor says about attempts, as if time had passed. */
  const rewrite = async (id: string, { failedAt, nextAt = 0 }: { failedAt?: number; nextAt?: number }) => {
    const [head = '', ...rest] = ((await redis.hget(cursorsKey(tenant), id)) ?? '').split('\n');
    const words = head.split(' ');
    words[4] = String(nextAt);
    if (failedAt !== undefined) words[3] = String(failedAt);
    await redis.hset(cursorsKey(tenant), id, [words.join(' '), ...rest].join('\n'));
  };
  return {
    rewrite,
    engine,
    redis,
    tenant,
    credential,
    worker,
    startWorker,
    disabled,
    results,
    logged,
    subscribe,
    /** Replaces the list of readers, as a change of the tenant's record does; null: the tenant is suspended. */
    setReaders: async (change: (before: readonly Reader[]) => Reader[] | null) => {
      readers = change(readers ?? []);
      await redis.hincrby(tenantKey(tenant), 'version', 1);
    },
    /** Makes events of type RESERVED, one call each. */
    happen: async (...resources: string[]) => {
      for (const resource of resources) await reserve(engine, credential, [{ resource, requester: 'alice' }]);
    },
    open,
    /** Returns the resources of a request's events; the type of an event that has none. */
    resources: (got: Got) => open(got).map(({ type, resource }) => resource ?? type),
    isDone: () => until('everything is delivered', async () => (await outboxState(redis, tenant)).entries === 0),
    isWaiting: (id: string) =>
      until('it waits for its next attempt', async () => {
        const cursor = (await outboxState(redis, tenant)).cursors.get(id);
        return cursor?.isFailing && cursor.waitMs > 0 && cursor.waitMs;
      }),
    stop: async () => {
      await worker.close();
      for (const receiver of receivers) await receiver.stop();
      stop();
    },
  };
}
