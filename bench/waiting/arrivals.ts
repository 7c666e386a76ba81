/**
 * Checks with the tenant's events that a name is handed on in the order in which its waiting callers arrived.
 */
import { z } from 'zod';
import { openStreams } from '../openStreams.ts';
import type { Stage } from '../stage.ts';
import { until } from '../until.ts';

/** The fields that matter of an event of a single item. */
const ItemEvent = z.object({ type: z.string(), resource: z.string().nullish(), requester: z.string().nullish() });

/** An open event stream. */
export interface Arrivals {
  /**
   * Ends the stream, once it has brought the events of all owners.
   * @param owners the number of reservations of the name
   * @returns the number of owners who overtook somebody
   */
  overtakers(owners: number): Promise<number>;
}

/** Starts to listen to the events of a name. */
export async function watchArrivals({ service, tenant }: Stage, name: string): Promise<Arrivals> {
  const texts: string[] = [];
  let reserved = 0;
  const opened = await openStreams(service.port, tenant.key, 1, (text) => texts.push(text));
  return {
    overtakers: async (owners) => {
      const count = () => {
        reserved = texts.join('').split('\nevent: RESERVED\n').length - 1;
        return reserved >= owners;
      };
      await until(`the events of ${owners} owners, not ${reserved}`, count);
      for (const stream of opened) stream.destroy();
      const events = eventsOf(texts.join(''), name);
      const seen = events.filter(({ type }) => type === 'RESERVED').length;
      if (seen !== owners) throw new Error(`${name} had ${owners} owners, and events of ${seen}`);
      return countOvertakers(events);
    },
  };
}

function eventsOf(text: string, name: string): z.infer<typeof ItemEvent>[] {
  return [...text.matchAll(/^data: (.*)\n\n/gm)]
    .map(([, json = '']) => ItemEvent.parse(JSON.parse(json)))
    .filter(({ resource }) => resource === name);
}

/** Tickets are numbered in the order of their WAITING events, and every owner was at the front of the queue. */
function countOvertakers(events: readonly z.infer<typeof ItemEvent>[]): number {
  const queue: string[] = [];
  let overtakers = 0;
  for (const { type, requester } of events) {
    if (typeof requester !== 'string') continue;
    if (type === 'WAITING') queue.push(requester);
    if (type === 'RESERVED' && queue.length > 0 && queue[0] !== requester) overtakers++;
    if (type === 'WAIT_ENDED' && queue.includes(requester)) queue.splice(queue.indexOf(requester), 1);
  }
  return overtakers;
}
