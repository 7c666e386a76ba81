/**
 * A release that hands a plain name over, and a request that joins the queue of one, take short ways (lua/plain). They
 * give the same replies and leave the same state as the general one: generated calls go to two tenants, of which one
 * never takes the short way.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beat, leave } from '../../src/engine/waiting/beat.ts';
import { cancel } from '../../src/engine/waiting/cancel.ts';
import { HandOverCalls, passing, type Step } from '../support/handOverCalls.ts';
import { FLAGS, WANTS_ALL } from '../support/hotRecord.ts';
import { isOneIn, newToken, seed } from '../support/plainCalls.ts';
import {
  callTwin,
  INSTANCES,
  OTHER_KEY,
  START,
  setTime,
  startTwins,
  storedOf,
  type TwinKind,
  type Twins,
} from '../support/plainTwins.ts';

/** Calls of each kind, and how many of each short way are among them at least. */
const CALLS = Number(process.env.PLAIN_CALLS ?? 100);
const [ENOUGH, MOST_CALLS] = [Math.ceil(CALLS / 25), 20 * CALLS];
const HOUR_MS = 3_600_000;

interface Kind extends TwinKind {
  readonly title: string;
  /** Names for which requests wait, and the number of requesters. */
  readonly names: readonly [string, ...string[]];
  readonly requesters: number;
}
const REGISTERED = [
  { name: 'washed', capacity: 1, blocks: [], treePath: null, afterUse: 'dirty' as const },
  { name: 'reg', capacity: 1, blocks: ['b'], treePath: null },
  { name: 'job', capacity: 2, blocks: [], treePath: null },
];
const MANY = {
  names: ['a', 'a', 'a', 'b', 'c', 'washed', 'reg', 'job_1', 'job'],
  requesters: 120,
  definitions: REGISTERED,
} as const;
const FEW = { names: ['a', 'a', 'a', 'a', 'b'], requesters: 4 } as const;
const STREAM = { listenUntil: START + HOUR_MS, publisher: 'p' };
const KINDS: readonly Kind[] = [
  { title: 'few requesters', ...FEW },
  { title: 'many requesters', ...MANY },
  {
    title: 'few requesters, an open stream and an outbox',
    ...FEW,
    key: 'label',
    hot: { ...STREAM, flags: FLAGS.notices, box: WANTS_ALL },
  },
  { title: 'many requesters, and an open stream', ...MANY, hot: STREAM },
  {
    title: 'many requesters, an outbox of some types, and a limited key',
    ...MANY,
    key: 'label\nread reserve\n0\n',
    hot: { flags: FLAGS.notices, box: { ...WANTS_ALL, types: 0x5555_5555, personTypes: 0xaaaa_aaaa } },
  },
  {
    title: 'few requesters at their limits, and an outbox of other types',
    ...FEW,
    limits: { reservations: 4, historyDays: 0, writesPerMinute: 600, bytes: 6000 },
    hot: {
      dueIndexed: START + 20_000,
      listenUntil: START - 1,
      flags: FLAGS.notices,
      box: { ...WANTS_ALL, types: 0xaaaa_aaaa, personTypes: 0x5555_5555 },
    },
  },
];

/** The short ways of a release and of two requests that may wait. */
type Way = 'handed over' | 'joined' | 'took';

/** Carries out a step on both. Returns which short way it went, if any. */
async function carryOut(twins: Twins, calls: HandOverCalls, step: Step, what: string): Promise<Way | undefined> {
  const both = [twins.short, twins.general] as const;
  if (step.do === 'call') {
    const { verb, flags, args } = step;
    const [answer, key] = [newToken(), isOneIn(8) ? OTHER_KEY : undefined];
    const send = async (flags: string) => {
      const [short, general] = [
        await callTwin(twins.short, verb, flags, args, answer, key),
        await callTwin(twins.general, verb, flags, args, answer, key),
      ];
      expect(short.reply, `${what} ${flags}`).toEqual(general.reply);
      return short;
    };
    const { isShort, reply } = await send(flags);
    calls.note(step, reply);
    if (verb === 'unreserve' && isOneIn(20)) await send(`r${flags}`);
    if (!isShort || (flags !== 'h' && flags !== 'w')) return undefined;
    if (flags === 'h') return 'handed over';
    return String(reply[2]).startsWith('WAITING') ? 'joined' : 'took';
  }
  const [short, general] = await Promise.all(
    both.map(async ({ engine, credential }) =>
      step.do === 'leave'
        ? leave(engine, credential.tenant, step.instance, step.tickets)
        : (await cancel(engine, credential, [step])).result,
    ),
  );
  expect(short, what).toEqual(general);
  return undefined;
}

describe.each(KINDS)(`what is handed over: $title (seed ${seed})`, (kind) => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await startTwins(kind);
  });
  afterAll(() => twins.stop());

  test('gets the same replies and has the same state, whichever way its requests take', async () => {
    const { short, general } = twins;
    const calls = new HandOverCalls(kind.names, kind.requesters);
    const { engine, credential } = short;
    const recordOf = async (name: string) =>
      (await engine.redis.hgetBuffer(`{${credential.tenant}}:slots`, name))?.toString('latin1') ?? '';
    const taken: Record<Way, number> = { 'handed over': 0, joined: 0, took: 0 };
    let now = START;
    for (let nth = 0; nth < CALLS || Math.min(...Object.values(taken)) < ENOUGH; nth++) {
      expect(nth, JSON.stringify(taken)).toBeLessThan(MOST_CALLS);
      now += passing();
      await setTime(twins, now);
      for (const instance of INSTANCES.filter((_, i) => isOneIn(i === 0 ? 2 : 6))) {
        const [one, other] = await Promise.all(
          [short, general].map(({ engine, credential }) => beat(engine, credential.tenant, instance)),
        );
        expect(one, `beat before call ${nth}`).toEqual(other);
      }
      const step = await calls.next(now, recordOf);
      const what = `call ${nth} ${JSON.stringify(step)}`;
      const way = await carryOut(twins, calls, step, what);
      if (way) taken[way]++;
      if (way || nth % 20 === 0 || nth > CALLS)
        expect(await storedOf(short), `after ${what}`).toEqual(await storedOf(general));
    }
  });
});
