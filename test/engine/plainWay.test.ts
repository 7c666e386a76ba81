/**
 * Requests for plain names, and lone ones for a slot of a pool, take a short way (lua/plain), all others the general
 * one (lua/verbs). Both give the same replies and leave the same state: generated calls go to two tenants, of which one
 * never takes the short way.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keysOfRequest } from '../../src/redis/keys.ts';
import { parseReply } from '../../src/redis/reply.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { startEngine } from '../support/engine.ts';
import { FLAGS, WANTS_ALL } from '../support/hotRecord.ts';
import {
  type Args,
  AWAITED_NAMES,
  below,
  conditionItem,
  type Held,
  isOneIn,
  MANY_NAMES,
  newToken,
  pick,
  reserveItem,
  resourcesOf,
  SLOT_LIKE_NAMES,
  seed,
  unreserveItem,
  WORN_NAMES,
} from '../support/plainCalls.ts';
import { callTwin, START, setTime, startTwins, storedOf, type TwinKind, type Twins } from '../support/plainTwins.ts';

const CALLS = Number(process.env.PLAIN_CALLS ?? 150);
const HOUR_MS = 3_600_000;

/** Returns the flags of a call, and the number of its items. */
function shapeOf({ names, waits }: Kind): readonly [string, number] {
  if (names !== undefined && !isOneIn(waits ? 2 : 5)) return ['', 1];
  if (isOneIn(8)) return [pick(['r', 'd', 'c']), 1 + below(2)];
  if (isOneIn(3))
    return pick<readonly [string, number]>([
      ['s1,1', 2],
      ['s2,1,1', 4],
    ]);
  return ['', pick([1, 1, 1, 2, 5, 0])];
}

/** Differences between tenants. */
interface Kind extends TwinKind {
  readonly title: string;
  readonly hasDefinitions?: boolean;
  readonly hasLabels?: boolean;
  /** Names of most requests, each alone. */
  readonly names?: readonly [string, ...string[]];
  /** Whether some requests wait. The queue is settled in the smallest pieces. */
  readonly waits?: boolean;
  /** Whether somebody sets conditions of slots now and then. */
  readonly hasConditions?: boolean;
}
const BOXED = { flags: FLAGS.notices, box: WANTS_ALL };
const PERSONS = { ...WANTS_ALL, types: 0, personTypes: WANTS_ALL.types };
const POOLS = { names: MANY_NAMES, hasDefinitions: true };
const WORN = { names: WORN_NAMES, hasDefinitions: true, hasConditions: true };
const KINDS: readonly Kind[] = [
  { title: 'a plain tenant' },
  { title: 'a tenant with resources', hasDefinitions: true },
  { title: 'a tenant with an open stream', hot: { listenUntil: START + HOUR_MS, publisher: 'p' } },
  { title: 'a tenant whose stream has lapsed', hot: { listenUntil: START - 1 }, hasDefinitions: true },
  { title: 'a tenant at its limits', limits: { writesPerMinute: 40, reservations: 5 } },
  { title: 'a tenant with a limit of a day and of bytes', limits: { writesPerDay: 300, bytes: 4000 } },
  { title: 'a tenant without a history', limits: { historyDays: 0 } },
  { title: 'a tenant with a restricted key', key: 'label\nread reserve\n0\n' },
  { title: 'a tenant with a key that may only read', key: 'label\nread\n0\n' },
  { title: 'a tenant with a key for some names', key: 'label\nread reserve\n0\na' },
  { title: 'a tenant with terms', fields: { terms: '2000 50000 0' }, hot: { flags: FLAGS.terms } },
  { title: 'a tenant that allows only registered resources', hot: { flags: FLAGS.strict }, hasDefinitions: true },
  {
    title: 'a tenant that the due index has too late',
    hot: { dueIndexed: START + HOUR_MS, nextDue: START + 40_000 },
  },
  { title: 'a suspended tenant', hot: { flags: FLAGS.suspended } },
  { title: 'a tenant of pools', ...POOLS },
  { title: 'a tenant of pools with an open stream', ...POOLS, hot: { listenUntil: START + HOUR_MS, publisher: 'p' } },
  {
    title: 'a tenant with an outbox of some types, and an open stream',
    hot: { flags: FLAGS.notices, box: { ...WANTS_ALL, types: 4 }, listenUntil: START + HOUR_MS, publisher: 'p' },
  },
  { title: 'a tenant with an outbox of what concerns persons', hot: { flags: FLAGS.notices, box: PERSONS } },
  { title: 'a tenant of pools with an outbox', ...POOLS, hot: BOXED },
  {
    title: 'a tenant whose outbox is nearly full',
    hot: { flags: FLAGS.notices, box: { ...WANTS_ALL, entries: 9950 } },
  },
  { title: 'a tenant with a queue and an outbox', names: AWAITED_NAMES, waits: true, hot: BOXED },
  { title: 'a tenant of pools at its limits', ...POOLS, limits: { writesPerDay: 800, reservations: 530 } },
  { title: 'a tenant of pools without a history', ...POOLS, limits: { historyDays: 0 } },
  { title: 'a tenant of pools with labels', ...POOLS, hasLabels: true },
  {
    title: 'a tenant of pools of which one may be being deleted',
    ...POOLS,
    fields: { closing: String(START + HOUR_MS) },
    hot: { flags: FLAGS.closing },
  },
  { title: 'a tenant with slots out of service', ...WORN },
  {
    title: 'a tenant with slots out of service, labels and a stream',
    ...WORN,
    hasLabels: true,
    hot: { listenUntil: START + HOUR_MS, publisher: 'p' },
  },
  { title: 'a tenant of names like those of slots', names: SLOT_LIKE_NAMES },
  { title: 'a tenant with a queue', names: AWAITED_NAMES, waits: true, hasDefinitions: true },
  {
    title: 'a tenant with a queue, at its limits',
    names: AWAITED_NAMES,
    waits: true,
    limits: { reservations: 8, historyDays: 0 },
  },
];

/** Returns the arguments of a reserve that may wait, without and with a long poll. */
const waitingArgs = (held: Held[], names: Kind['names']): Args => [
  ...reserveItem(held, names, pick(['20000 0 5000', '60000 0 5000', '60000 1 9000'])),
  pick(['poll 0', 'poll 30000']),
];

describe.each(KINDS)(`$title (seed ${seed})`, (kind) => {
  let twins: Twins;
  beforeAll(async () => {
    const { hasDefinitions, waits = false } = kind;
    twins = await startTwins({ ...kind, inPieces: waits, ...(hasDefinitions && { definitions: resourcesOf(kind) }) });
  });
  afterAll(() => twins.stop());

  test('gets the same replies and has the same state, whichever way its requests take', async () => {
    const { short, general } = twins;
    const call = async (...args: Parameters<typeof callTwin>) => (await callTwin(...args)).reply;
    const held: Held[] = [];
    let now = START;
    if (kind.names?.includes('big')) {
      // More slots than one bitmap has: the lowest free ones are in the second.
      const all = Array.from({ length: 515 }, (_, i) => ({ resource: 'big', requester: `h${i}`, token: newToken() }));
      held.push(...all.slice(0, 40), ...all.slice(-20));
      const items = all.map(({ resource, requester, token }) => [resource, requester, token, '']);
      for (let from = 0; from < items.length; from += 100) {
        const args = items.slice(from, from + 100).flat();
        for (const twin of [short, general]) expect(await call(twin, 'reserve', '', args)).toContain('OK');
      }
      // One of them also has a slot by its own name. That is released, and the assigned one stays its own.
      for (const twin of [short, general]) {
        await call(twin, 'reserve', '', ['big_550', 'h0', 'b'.repeat(22), '']);
        expect(await call(twin, 'unreserve', '', ['big_550', 'h0', 'b'.repeat(22)])).toContain('RELINQUISHED\nbig_550');
      }
    }
    const calls = kind.waits ? 2 * CALLS : CALLS;
    for (let nth = 0; nth < calls; nth++) {
      now += pick([0, 0, 1, 300, 2500]);
      await setTime(twins, now);
      if (kind.hasConditions && isOneIn(4)) {
        const item = conditionItem();
        for (const twin of [short, general]) await call(twin, 'setCondition', '', item);
      }
      const mayWait = kind.waits === true && isOneIn(8);
      const [flags, count] = mayWait ? ['w', 1] : shapeOf(kind);
      const verb = mayWait || isOneIn(2) ? 'reserve' : 'unreserve';
      const items = Array.from({ length: count }, () =>
        verb === 'reserve' ? reserveItem(held, kind.names) : unreserveItem(held),
      );
      const args = mayWait ? waitingArgs(held, kind.names) : items.flat();
      const replies = [await call(short, verb, flags, args), await call(general, verb, flags, args)];
      if (kind.waits && verb === 'reserve') {
        // Most of these names are held: a release of what was not reserved would tell little.
        const isWanted = (i: number) => /^(ACQUIRED|WAITING)/.test(String(replies[0]?.[i + 2]));
        held.push(...held.splice(held.length - count, count).filter((_, i) => isWanted(i)));
      }
      expect(replies[0], `call ${nth}: ${verb} ${flags} ${JSON.stringify(args)}`).toEqual(replies[1]);
      // States that differ can be alike again at the end.
      const isCompared = nth % 50 === 49 || nth === calls - 1;
      if (isCompared) expect(await storedOf(short), `after call ${nth}`).toEqual(await storedOf(general));
    }
  });
});

test.each(['', 's1,1'])('a retry of a release gets the reply of the first try (flags "%s")', async (flags) => {
  const running = await startEngine();
  const { engine, credential } = running;
  const { credentialKey } = credential;
  const tokensOfBoth = [newToken(), newToken()];
  const reserved = tokensOfBoth.flatMap((token, i) => [`one${i}`, 'r', token, '']);
  await engine.loadTenant(credential.tenant);
  await runScript(engine.redis, 'reserve', ...keysOfRequest('reserve', credential), credentialKey, '', ...reserved);
  const items = tokensOfBoth.flatMap((token, i) => [`one${i}`, 'r', token]);
  const keys = keysOfRequest('unreserve', credential, 'answer:retried');
  const first = await runScript(engine.redis, 'unreserve', ...keys, credentialKey, flags, ...items);
  expect(parseReply(first)).toEqual([
    'OK',
    expect.any(String),
    'RELINQUISHED\none0',
    'RELINQUISHED\none1',
    ...(flags ? [''] : []),
  ]);
  expect(await runScript(engine.redis, 'unreserve', ...keys, credentialKey, `r${flags}`, ...items)).toEqual(first);
  running.stop();
});
