/**
 * A call of each verb of Redis that has something to do, on a tenant that is prepared for all of them. Names, tokens
 * and times are fixed, so the same call on the same state gives the same reply.
 */

import type { Credential } from '../../src/domain/tenants.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { keysOfRequest } from '../../src/redis/keys.ts';
import { itemArgs } from '../../src/redis/layouts.ts';
import { runScript } from '../../src/redis/scripts.ts';
import type { Verb } from '../../src/redis/verbs.ts';
import { setClock } from './clock.ts';
import type { RunningEngine } from './engine.ts';
import { bookingCalls, madeBookings } from './exampleBookings.ts';
import { changeHot } from './hotRecord.ts';

/** Ahead of the real clock, by which other tests' instances end leases. */
export const START = Date.UTC(2055, 0, 1);

type Args = readonly (string | number)[];
export interface ExampleCall {
  readonly title: string;
  readonly verb: Verb;
  readonly args: Args;
  /** True if a signed-in person makes it, who may end the reservations of others. */
  readonly isPerson?: boolean;
}

const token = (n: number) => String(n).padStart(22, 'T');
const SESSION = token(90);
const MINUTE = 60_000;
/** The ticket of bob, who waits for `other`: the number of microseconds of the first moment. */
const TICKET = START * 1000;
const taking = (
  resource: string,
  n: number,
  rest: { ttl?: string | number; who?: string; wait?: string; options?: string; count?: number } = {},
): Args => {
  const { ttl = '', who = 'alice', wait = '', options = '', count = '' } = rest;
  const item = { resource, requester: who, token: token(n), lease: ttl, type: '', wait, count, options };
  return itemArgs('reserve', item);
};
const SHARED = { options: '{"mode":"SHARED"}' };
const WAIT = `${10 * MINUTE} 0 30000`;
/** A call that is held by the instance i1. */
const LONG_POLL = 'i1 30000';

/** Definitions, an open stream and reservations, which every tenant gets. */
const FURNITURE: readonly ExampleCall[] = [
  call('openStream', ['stream', 100 * MINUTE]),
  call('reserve', [
    '',
    ...taking('pool', 1, { ttl: 50_000 }),
    ...taking('bed_3', 2),
    ...taking('other', 3, { ttl: MINUTE }),
  ]),
  call('reserve', [
    '',
    ...taking('plain', 4),
    ...taking('hall', 5, SHARED),
    ...taking('hall', 6, { ...SHARED, who: 'bob' }),
  ]),
  call('reserve', ['', ...taking('beds', 7, { count: 2 }), ...taking('given', 8), ...taking('kept', 9)]),
];
/** A session, requests that wait and a grant: each takes a tenant's requests off the plain way (lua/plain). */
const QUEUE: readonly ExampleCall[] = [
  call('beginSession', ['', SESSION, token(91), 'alice', 5 * MINUTE]),
  call('reserve', ['', ...taking('desk', 10, { ttl: `s${SESSION}` })]),
  call('reserve', ['w', ...taking('other', 11, { ttl: MINUTE, who: 'bob', wait: WAIT }), LONG_POLL]),
  call('reserve', ['w', ...taking('given', 12, { ttl: MINUTE, who: 'carol', wait: WAIT }), LONG_POLL]),
  call('beat', ['i1']),
  call('unreserve', ['', 'given', 'alice', token(8)]),
];

/** One call of each verb, or some of a verb that has several ways. Their order does not matter. */
export const EXAMPLE_CALLS: readonly ExampleCall[] = [
  call('active', [1, '0', '', 10, '', '']),
  call('activity', [3, 1, 2, 'a'.repeat(64)]),
  call('authenticate', ['reserve']),
  call('available', [2, 'pool', 'plain']),
  call('beat', ['i1']),
  call('beginSession', ['', token(92), token(93), 'dave', MINUTE]),
  ...bookingCalls(START),
  call('cancel', ['', '', 'other', 'bob']),
  call('charge', ['reserve']),
  call('chargeReads', [1, '', 0]),
  call('check', [3, 'pool', 'alice', 'hall', '', 'nothing', 'dave']),
  call('closeStreams', ['stream']),
  call('copyDefinitions', ['lease', MINUTE, 'copied', 3, 'root', 'ink\n', 0, 'os=a\n', 'dirty', '{"a":"b"}', '\n', 0]),
  call('definitions', [1, '', 10, '', '']),
  call('delete', ['', 'now', '', 'free', 1, 0]),
  call('dropCursor', ['r']),
  call('emitLimitReached', ['RESERVE', 'ReadsPerMinute', 5]),
  call('endSession', ['', SESSION, token(91), '']),
  call('finishBatch', ['r', 'worker', '5-0', 1]),
  call('issueToken', ['', MINUTE, MINUTE, 'read\n0\n']),
  call('keep', ['F'.repeat(64), 'APPLIED', 'ACQUIRED']),
  call('keepReset', ['0', 1000, '']),
  call('labelsInUse', [10, 10]),
  call('leave', ['i1', TICKET]),
  call('loadTenant', ['', 0, '', 'Pro', 0, 0, 0, '', '', 0, 'b'.repeat(64), 'label', 'reserve\n0\n']),
  call('lowerDueIndex', ['tenant', START]),
  call('moveSlowest', []),
  call('openStream', ['another', MINUTE]),
  call('probe', []),
  call('raiseDueIndex', ['tenant', START, START + 1]),
  call('readHistory', ['+', 1_000_000, 10, 100, '', '', 0, START * 2]),
  call('refusals', [3, 'rpool', 2, 'o', 1]),
  call('outOfService', ['0']),
  call('register', [
    '',
    'now',
    '',
    16,
    ...['bed', 5, 'pillow\n', 'ward\n', '', 'os=b\n', 1, 'dirty', '{"a":"b"}', '{"c":"d"}\n', ''],
    ...['pool', 1, '', '', '', '', 0, '', '', '', ''],
  ]),
  call('renew', ['', 'pool', 'alice', token(1), 2000, 'plain', 'alice', token(4), 3000]),
  call('renewSession', ['', SESSION, token(91), '']),
  call('renewStreams', [MINUTE, 'stream']),
  call('reserve', ['', ...taking('pool', 20, { ttl: 5000 }), ...taking('plain', 21), ...taking('bed_7', 22)]),
  { ...call('reserve', ['', ...taking('fresh', 23, { ttl: 5000 })]), title: 'reserve a plain name' },
  {
    ...call('reserve', ['s1,1', ...taking('fresh', 24), ...taking('plain', 25)]),
    title: 'reserve plain names in a batch',
  },
  {
    ...call('reserve', ['w', ...taking('plain', 26, { ttl: MINUTE, who: 'erin', wait: WAIT }), LONG_POLL]),
    title: 'reserve, and wait',
  },
  {
    ...call('reserve', ['cw', ...taking('given', 12, { ttl: MINUTE, who: 'carol', wait: WAIT }), LONG_POLL]),
    title: 'reserve, and claim what was granted',
  },
  {
    ...call('reserve', ['', ...taking('os=a', 27, { options: '{"match":"os=a"}' })]),
    title: 'reserve by labels',
  },
  { ...call('reserve', ['d', ...taking('leaf', 28)]), title: 'reserve, as a dry run' },
  call('reset', ['', '']),
  call('resource', ['pool', 0, 10]),
  call('restoreOut', ['lease', MINUTE, 'pool_1', START, 'key:a', 'dark']),
  call('retryBatch', ['r', 'worker', 5000, 1]),
  call('sessions', [1, '0', 10]),
  call('setCondition', ['', 'pool', 'out', 'dark', 'plain', 'dirty', '']),
  call('standings', ['bob']),
  call('startCursor', ['s', 'start', 1]),
  call('storeBatch', ['r', 'worker', MINUTE, 'msg_1', '5-0', '{}', 100]),
  call('states', [5, 'alice\n', 'pool', 'plain', 'nothing']),
  call('sweep', []),
  call('takeBatch', ['r', 'worker', MINUTE, 100, '0']),
  call('tellWaits', [TICKET]),
  call('transaction', [
    '',
    'ALL_OR_NONE',
    '',
    'UNRESERVE',
    'pool',
    'alice',
    token(1),
    'RESERVE',
    ...taking('leaf', 29, { ttl: 1000 }),
  ]),
  call('tree', [1, '', 10]),
  call('unregistered', ['0', 10]),
  call('unreserve', ['', 'pool', 'alice', token(1), 'hall', 'bob', token(6), 'beds', 'alice', token(7)]),
  { ...call('unreserve', ['', 'plain', 'alice', token(4)]), title: 'unreserve a plain name' },
  {
    ...call('unreserve', ['s1,1', 'plain', 'alice', token(4), 'kept', 'alice', token(9)]),
    title: 'unreserve plain names in a batch',
  },
  { ...call('unreserve', ['F'.repeat(64), 'other', 'alice', token(3)]), title: 'unreserve, with an Idempotency-Key' },
  {
    ...call('unreserve', ['', 'plain', 'alice', '', 'pool', 'alice', '']),
    title: 'unreserve without a token, by a person',
    isPerson: true,
  },
  call('usage', [1]),
  call('waiting', [1, '', '', 10, '', '']),
];

function call(verb: Verb, args: Args): ExampleCall {
  return { title: verb, verb, args };
}

/** Verbs whose first argument is no credential. */
const WITHOUT_CREDENTIAL: readonly Verb[] = [
  'activity',
  'closeStreams',
  'bookingChanges',
  'copyDefinitions',
  'dropBookingChanges',
  'dropCursor',
  'finishBatch',
  'keepReset',
  'loadTenant',
  'logBookings',
  'lowerDueIndex',
  'moveSlowest',
  'outOfService',
  'probe',
  'raiseDueIndex',
  'readHistory',
  'refusals',
  'restoreOut',
  'retryBatch',
  'startCursor',
  'storeBatch',
  'takeBatch',
];
/** Verbs that the service calls for itself. */
const OF_SERVICE: readonly Verb[] = ['beat', 'leave', 'restoreBookings', 'sweep', 'takeBackBookings'];
/** Where verbs remember their reply, and where the tokens of an issuer are. */
const [ANSWER_KEY, TOKENS_KEY] = ['answer:example', 'tokens:example'];

/** The credential that a call is made with: an API key, a new derived token, or a sign-in session. */
function credentialOf({ verb, isPerson }: ExampleCall, { credential }: RunningEngine): Credential {
  const { tenant } = credential;
  if (isPerson) return { tenant, credentialKey: `session:${'d'.repeat(64)}`, kind: 'session' };
  if (verb === 'issueToken') return { tenant, credentialKey: `token:${'c'.repeat(64)}`, kind: 'token' };
  return credential;
}

/** Returns the keys to pass to a call on a tenant. */
function keysFor(one: ExampleCall, running: RunningEngine): readonly string[] {
  const { tenant } = running.credential;
  const { verb } = one;
  if (verb === 'lowerDueIndex' || verb === 'raiseDueIndex') return [`{${tenant}}:expiry`];
  if (verb === 'probe') return [`{${tenant}}:probe`];
  return keysOfRequest(verb, credentialOf(one, running), verb === 'issueToken' ? TOKENS_KEY : ANSWER_KEY);
}

/** Makes a call on a tenant. Returns the reply. */
export function callExample(running: RunningEngine, one: ExampleCall): Promise<unknown> {
  const { verb, args } = one;
  const { credentialKey } = credentialOf(one, running);
  const first = WITHOUT_CREDENTIAL.includes(verb) ? [] : [OF_SERVICE.includes(verb) ? '' : credentialKey];
  return runScript(running.engine.redis, verb, ...keysFor(one, running), ...first, ...args);
}

/** Prepares the tenant for the calls. Without a queue, its requests for plain names go the plain way. */
export async function furnish(running: RunningEngine, hasQueue: boolean): Promise<void> {
  const { engine, credential } = running;
  const key = (name: string) => `{${credential.tenant}}:${name}`;
  await setClock(engine.redis, credential.tenant, START);
  const items = [
    { name: 'pool', capacity: 3, blocks: ['tool'], treePath: 'root', labels: { os: 'a' } },
    { name: 'leaf', capacity: 2, blocks: ['pool', 'ink'], treePath: 'root>branch' },
    { name: 'root', capacity: 5, blocks: [], treePath: null },
    { name: 'below', capacity: 1, blocks: [], treePath: 'free' },
    { name: 'beds', capacity: 4, blocks: [], treePath: null },
    { name: 'phones', capacity: 3, blocks: [], treePath: null, labels: { os: 'phone' }, bookable: true },
  ];
  await register(engine, credential, items, NOW);
  // No call has to lower the due index first.
  await changeHot(engine.redis, credential.tenant, { dueIndexed: 1, bytes: 1000 });
  await engine.redis.set(key('copying'), 'lease');
  // As if a database had it: what changes of its bookings is noted.
  await engine.redis.hset(key('tenant'), 'version', 1);
  const person = {
    rights: 'reserve force',
    requester: 'erin',
    email: 'erin@example.com',
    actor: 'person:erin',
    id: '1',
  };
  await engine.redis.set(key(`session:${'d'.repeat(64)}`), JSON.stringify(person));
  for (const one of [...FURNITURE, ...madeBookings(START), ...(hasQueue ? QUEUE : [])]) await callExample(running, one);
  await engine.redis.del(key(ANSWER_KEY));
  // As a reset leaves them.
  await engine.redis.copy(key('slots'), key('resetSlots'));
  await engine.redis.hset(key('resetSlots'), '\0', `${START} key`);
}

/** Returns all keys of a tenant that the calls may touch. */
export const keysIn = (running: RunningEngine): string[] => [
  ...new Set([
    ...EXAMPLE_CALLS.flatMap((one) => keysFor(one, running)),
    ...running.scripts.flatMap((script) => script.derivedKeys.map((name) => `{${running.credential.tenant}}:${name}`)),
  ]),
];
