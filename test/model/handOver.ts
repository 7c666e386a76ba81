/**
 * Releases that hand over to long polls (docs/specification.md#waiting-order), on the engine and on the model.
 */
import { expect } from 'vitest';
import type { UnreserveItem } from '../../src/contract/reservations.ts';
import { newReleaseToken } from '../../src/engine/reservations/releaseToken.ts';
import { toReserveResult } from '../../src/engine/reservations/reserve.ts';
import { parseItem } from '../../src/redis/reply.ts';
import type { RunningEngine } from '../support/engine.ts';
import { unreserve } from '../support/verbs.ts';
import type { WaitingModel } from './waitingModel.ts';

/**
 * Releases, and hands over to the calls of all tickets. A later script may grant what this one did not come to: to that
 * call, nothing is handed over.
 * @param tickets the engine's ticket for each of the model's
 */
export async function handOver(
  { engine, credential }: RunningEngine,
  model: WaitingModel,
  tickets: ReadonlyMap<number, string>,
  items: UnreserveItem[],
): Promise<void> {
  const calls = model.queue.map((ticket) => ({ ticket, number: tickets.get(ticket.id) ?? '' }));
  const lines = calls.map(({ number }) => `\n${number} ${newReleaseToken()}`);
  // Its instance, as mostly: the short way (lua/plain) wakes no other.
  const first = model.queue.find((ticket) => ticket.items[0]?.resource === items[0]?.resource);
  const instance = first?.call.instance ?? 'm';
  let told: ReadonlyMap<string, string> = new Map();
  const answered = (replies: ReadonlyMap<string, string>) => {
    told = replies;
  };
  const call = { arg: () => `${instance}${lines.join('')}`, answered, failed: () => {} };
  const results = await unreserve({ ...engine, handOver: () => call }, credential, items);
  expect(results).toEqual(model.unreserveAll(items));
  for (const { ticket, number } of calls) {
    const [item] = ticket.items;
    const reply = told.get(number);
    if (item === undefined || reply === undefined) continue;
    const asked = { ...item, requester: ticket.requester, match: undefined };
    const result = toReserveResult(asked, parseItem(reply));
    expect(result).toEqual(model.takeOver(ticket.id, result.releaseToken));
  }
  const isNamed = (number: string) => calls.some((one) => one.number === number);
  expect([...told.keys()].filter((number) => !isNamed(number))).toEqual([]);
}
