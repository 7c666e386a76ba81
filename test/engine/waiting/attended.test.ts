/**
 * A ticket is attended for a time with long polls at several instances (docs/specification.md#waiting-lifetimes).
 */
import { describe, expect, test } from 'vitest';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { beat, leave } from '../../../src/engine/waiting/beat.ts';
import { waiting } from '../../../src/engine/waiting/list.ts';
import { setClock } from '../../support/clock.ts';
import { all } from '../../support/listed.ts';
import { reserve } from '../../support/verbs.ts';
import { running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);
const CLAIM_SECONDS = 5;

useWaitingEngine(START);

/** Has calls of one ticket held, each at an instance of its own. Returns the ticket. */
async function hold(calls: Readonly<Record<string, number>>): Promise<string> {
  const { engine, credential } = running;
  await reserve(engine, credential, [{ resource: 'a', requester: 'owner' }]);
  const item = { resource: 'a', requester: 'ann', ttlSeconds: 30, waitSeconds: 600, claimSeconds: CLAIM_SECONDS };
  let ticket = '';
  for (const [instance, seconds] of Object.entries(calls)) {
    const call = { instance, pollMs: seconds * 1000, isContinuation: false };
    [ticket = ''] = (await reserveWith(engine, credential, [item], call)).tickets;
  }
  return ticket;
}

/** Returns true if the ticket is attended so many seconds after the start, if these instances live until then. */
async function isAttendedAt(seconds: number, instances: readonly string[]): Promise<boolean | undefined> {
  const { engine, credential } = running;
  for (let s = 2; s < seconds; s += 2) {
    await setClock(engine.redis, credential.tenant, START + s * 1000);
    for (const instance of instances) await beat(engine, credential.tenant, instance);
  }
  await setClock(engine.redis, credential.tenant, START + seconds * 1000);
  const [ticket] = await all(waiting(engine, credential));
  return ticket?.attended;
}

describe('a ticket is attended until claimSeconds after the last of its calls', () => {
  test('that ends in time, if a longer one at another instance has hung up', async () => {
    const ticket = await hold({ one: 25, two: 4 });
    await leave(running.engine, running.credential.tenant, 'one', [ticket]);
    expect(await isAttendedAt(4 + CLAIM_SECONDS - 0.1, ['one', 'two'])).toBe(true);
    expect(await isAttendedAt(4 + CLAIM_SECONDS + 0.1, ['one', 'two'])).toBe(false);
  });

  test('that hangs up, if a shorter one at another instance has ended in time', async () => {
    const ticket = await hold({ one: 25, two: 4 });
    expect(await isAttendedAt(12, ['one', 'two'])).toBe(true);
    await leave(running.engine, running.credential.tenant, 'one', [ticket]);
    expect(await isAttendedAt(12 + CLAIM_SECONDS + 0.1, ['one', 'two'])).toBe(false);
  });

  test('that lives, if the instance of a longer one is dead', async () => {
    await hold({ one: 25, two: 14 });
    expect(await isAttendedAt(14 + CLAIM_SECONDS - 0.1, ['two'])).toBe(true);
    expect(await isAttendedAt(14 + CLAIM_SECONDS + 0.1, ['two'])).toBe(false);
  });
});
