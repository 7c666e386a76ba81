/**
 * Two tenants that get the same calls, of which one never takes the short way (lua/plain). They give the same replies
 * and have the same state.
 */
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { definitionsKey, keysOfRequest, tenantKey } from '../../src/redis/keys.ts';
import { readHot } from '../../src/redis/layouts.ts';
import { parseReply, toText } from '../../src/redis/reply.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { type RunningEngine, SMALL_PIECES, startEngine } from './engine.ts';
import { changeHot, pairsOf, text } from './hotRecord.ts';
import { type Args, COUNTED_BYTES, newToken } from './plainCalls.ts';
import { redisAddress } from './redisAddress.ts';

/** Ahead of the real clock, by which other tests' instances end leases. */
export const START = Date.UTC(2055, 0, 1);
/** The SHA-256 of a second API key of each tenant, with another label. */
export const OTHER_KEY = 'b'.repeat(64);
/** Instances of which wake-ups are compared. */
export const INSTANCES = ['abcdef123456', 'fedcba654321'] as const;
const NEVER = 'return function() return nil end';
const SHORT = { 'frame/now': STEERED_CLOCK, 'limits/bytes': COUNTED_BYTES };
const GENERAL = { ...SHORT, 'plain/reserve': NEVER, 'plain/unreserve': NEVER };

/** Differences between tenants. */
export interface TwinKind {
  readonly definitions?: Parameters<typeof register>[2];
  readonly hot?: Parameters<typeof changeHot>[2];
  readonly fields?: Readonly<Record<string, string>>;
  /** What its key is stored with: its label, and maybe its rights. */
  readonly key?: string;
  readonly limits?: Parameters<typeof startEngine>[3];
  /** True if the queue is settled in the smallest pieces. */
  readonly inPieces?: boolean;
}

export interface Twin extends RunningEngine {
  /** Messages to those who hear events, and wake-ups of INSTANCES. */
  readonly messages: string[];
  /** By stream: the last entry that was looked at. */
  readonly seen: Map<string, string>;
  /** Waits until all messages have come that were sent before. */
  hear(): Promise<unknown>;
}

export interface Twins {
  readonly short: Twin;
  readonly general: Twin;
  stop(): void;
}

export async function startTwins(kind: TwinKind): Promise<Twins> {
  const [short, general] = [await start(kind, SHORT), await start(kind, GENERAL)];
  return {
    short,
    general,
    stop: () => {
      short.stop();
      general.stop();
    },
  };
}

async function start(kind: TwinKind, includes: Readonly<Record<string, string>>): Promise<Twin> {
  const pieces = kind.inPieces ? SMALL_PIECES : {};
  const running = await startEngine(undefined, undefined, { ...includes, ...pieces }, kind.limits);
  const { engine, credential } = running;
  const { redis } = engine;
  const { tenant, credentialKey } = credential;
  await setClock(redis, tenant, START);
  if (kind.definitions) await register(engine, credential, kind.definitions, NOW);
  else await engine.loadTenant(tenant);
  // The due index has it: no call has to write that first.
  await changeHot(redis, tenant, { bytes: 100, dueIndexed: 1, ...kind.hot });
  if (kind.fields?.closing !== undefined) {
    await redis.hset(definitionsKey(tenant), '\x02pool', kind.fields.closing);
  }
  const key = kind.key !== undefined && { [`key:${credentialKey}`]: kind.key };
  await redis.hset(tenantKey(tenant), { [`key:${OTHER_KEY}`]: 'other', ...kind.fields, ...key });
  const listener = new Redis(redisAddress(inject('redisUrl')));
  const messages: string[] = [];
  listener.on('smessage', (channel: string, message: string) =>
    messages.push(`${channel} ${message}`.replaceAll(tenant, 't')),
  );
  const channels = ['events', ...INSTANCES.map((instance) => `wake:${instance}`)];
  const hear = () => listener.ssubscribe(...channels.map((name) => `{${tenant}}:${name}`));
  await hear();
  return {
    ...running,
    messages,
    seen: new Map(),
    hear,
    stop: () => {
      listener.disconnect();
      running.stop();
    },
  };
}

/** Sets the time of both, in ms since 1970 UTC. */
export const setTime = ({ short, general }: Twins, ms: number): Promise<unknown> =>
  Promise.all([short, general].map(({ engine, credential }) => setClock(engine.redis, credential.tenant, ms)));

/**
 * Calls a function of one.
 * @param answer names the reply that a retry gets
 * @param key the SHA-256 of the API key
 * @returns whether it took the short way; and the reply without the number for the work, which each way counts as it
 * likes
 */
export async function callTwin(
  { engine, credential }: Twin,
  verb: 'reserve' | 'unreserve' | 'setCondition',
  flags: string,
  args: Args,
  answer = newToken(),
  key = credential.credentialKey,
): Promise<{ isShort: boolean; reply: unknown[] }> {
  const keys = keysOfRequest(verb, credential, `answer:${answer}`);
  const found = await runScript(engine.redis, verb, ...keys, key, flags, ...args);
  // Only the short way joins the parts.
  const isShort = typeof found === 'string';
  const [code, ...rest] = parseReply(found);
  if (code !== 'OK') return { isShort, reply: [code, ...rest] };
  const [quota, ...others] = rest;
  return { isShort, reply: [code, toText(quota).split(' ').toSpliced(6, 1).join(' '), ...others] };
}

/**
 * Returns everything that Redis has of a tenant, but for what names the tenant. Of streams, and of the messages, it
 * returns what is new since the last look.
 */
export async function storedOf({ engine, credential, messages, seen, hear }: Twin) {
  const { redis } = engine;
  const { tenant, credentialKey } = credential;
  const key = (name: string) => `{${tenant}}:${name}`;
  const hashAt = async (name: string) => pairsOf(await redis.callBuffer('HGETALL', key(name))).sort();
  const setAt = async (name: string) => (await redis.zrangeBuffer(key(name), '0', '-1', 'WITHSCORES')).map(text);
  const streamAt = async (name: string) => {
    const entries = await redis.xrangeBuffer(key(name), `(${seen.get(name) ?? '0-0'}`, '+');
    const [last] = entries.at(-1) ?? [];
    if (last) seen.set(name, String(last));
    return entries.map(([, values]) => values.map(text));
  };
  const readField = (name: string, value: Buffer) => {
    if (name === 'hot') return readHot(value);
    // Lua writes them in any order.
    return name === 'beats' ? value.toString().split('\n').sort() : value.toString();
  };
  const fieldsAt = async (name: string) =>
    Object.entries(await redis.hgetallBuffer(key(name)))
      .filter(([field]) => !field.endsWith(credentialKey))
      .map(([field, value]) => [field, readField(field, value)])
      .sort();
  const hashes = ['slots', 'pools', 'conditions', 'clean', 'tickets'].map(hashAt);
  const sets = ['due', 'nameIndex', 'queues', 'waits'].map(setAt);
  const [slots, pools, conditions, clean, tickets] = await Promise.all(hashes);
  const [due, nameIndex, queues, waits] = await Promise.all(sets);
  const [fields, history, outbox] = await Promise.all([fieldsAt('tenant'), streamAt('history'), streamAt('outbox')]);
  await hear();
  return {
    fields,
    slots,
    due,
    nameIndex,
    pools,
    conditions,
    clean,
    tickets,
    queues,
    waits,
    history,
    outbox,
    heard: messages.splice(0),
  };
}
