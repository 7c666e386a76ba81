/** What has arrived at a receiver of the campaign, and whether its order, ids and signatures are right. */
import { existsSync, readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const Line = z.object({ at: z.number(), headers: z.record(z.string(), z.unknown()), body: z.string() });
const Body = z.object({
  data: z.object({
    events: z.array(
      z.looseObject({ id: z.string(), type: z.string(), resource: z.string().nullish(), missed: z.int().nullish() }),
    ),
  }),
});

const linesOf = (file: string) =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => Line.parse(JSON.parse(line)));

/** What has arrived at a receiver, and what is wrong with it. */
export interface Arrived {
  readonly faults: string[];
  /** id → type and resource of its event. */
  readonly seen: Map<string, string>;
  /** Number of events that GAPs tell of. */
  missed: number;
  requests: number;
  repeated: number;
}

/**
 * Reads the requests that a receiver has got.
 * @param file what receiver.mjs has written
 * @param secret of the subscription
 */
export function readArrived(file: string, secret: string): Arrived {
  const arrived: Arrived = { faults: [], seen: new Map(), missed: 0, requests: 0, repeated: 0 };
  const { faults, seen } = arrived;
  const bodies = new Map<string, string>();
  let last = '';
  for (const { headers, body, at } of linesOf(file)) {
    arrived.requests++;
    const webhookId = String(headers['webhook-id']);
    const before = bodies.get(webhookId);
    if (before !== undefined && before !== body) faults.push(`${webhookId} has two bodies`);
    if (before !== undefined) arrived.repeated++;
    bodies.set(webhookId, body);
    try {
      // As at the time of the request.
      const signed = { ...headers, 'webhook-timestamp': String(headers['webhook-timestamp']) };
      if (Math.abs(at / 1000 - Number(signed['webhook-timestamp'])) > 15) faults.push(`${webhookId} has an old time`);
      if (Date.now() - at < 240_000) new Webhook(secret).verify(body, stringsOf(signed));
    } catch (error) {
      faults.push(`${webhookId}: ${String(error)}`);
    }
    for (const { id, type, resource, missed } of Body.parse(JSON.parse(body)).data.events) {
      if (seen.has(id)) continue;
      if (!isAfter(id, last)) faults.push(`${id} arrived first after ${last}`);
      last = id;
      seen.set(id, `${type} ${resource}`);
      if (type === 'GAP') arrived.missed += missed ?? Number.NaN;
    }
  }
  return arrived;
}

const stringsOf = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Compares ids of events: `<ms>-<number>-<index>`, or `gap` in place of the index. */
function isAfter(id: string, other: string): boolean {
  const [a, b] = [id, other].map((text) => text.replace('gap', '0').split('-').map(Number));
  const i = a?.findIndex((part, at) => part !== b?.[at]) ?? -1;
  // A GAP stands before the first event of its entry.
  return other === '' || i === -1 || (a?.[i] ?? 0) > (b?.[i] ?? 0);
}
