/**
 * Repeats the items of a batch whose tickets have ended since its answer. A script settles the queue for a limited
 * time, so later ones may grant or end a ticket that it told of. An instance then sends these items again for the held
 * call.
 */
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import { newReleaseToken } from '../../src/engine/reservations/releaseToken.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import type { Issued } from '../../src/engine/waiting/call.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import type { RunningEngine } from '../support/engine.ts';
import { all } from '../support/listed.ts';
import type { Call } from './tickets.ts';

type Answer = Pick<Issued<ReserveResult[]>, 'result' | 'tickets'>;

/**
 * Returns the answer to a batch, as it is once the queue is settled.
 * @param nowMs the tenant's time: a ticket that was continued with an end in the past ends with the next script
 */
export async function repeatEnded(
  { engine, credential }: RunningEngine,
  answer: Answer,
  items: readonly ReserveItem[],
  call: Call,
  among: readonly ReserveItem[],
  nowMs: number,
): Promise<Answer> {
  if (!answer.result.some(({ status }) => status === 'WAITING')) return answer;
  // Listing the queue settles it.
  const listed = (await all(waiting(engine, credential))).map(({ requester, resources, method }) =>
    JSON.stringify([requester, resources, method]),
  );
  const ended = [...answer.result.entries()].flatMap(([i, { requester, resource, waiting: standing }]) => {
    const mayWait = standing !== undefined && Date.parse(standing.until) > nowMs;
    return mayWait && !listed.includes(JSON.stringify([requester, [resource], null])) ? [i] : [];
  });
  if (ended.length === 0) return answer;
  const again = await reserve(
    engine,
    credential,
    ended.flatMap((i) => items[i] ?? []),
    { ...call, isContinuation: true, tokens: ended.map(newReleaseToken) },
    undefined,
    among,
  );
  const updated = <One>(before: readonly One[], after: readonly One[]) =>
    before.map((one, i) => after[ended.indexOf(i)] ?? one);
  return { result: updated(answer.result, again.result), tickets: updated(answer.tickets, again.tickets) };
}
