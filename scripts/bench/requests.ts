/**
 * What clients ask the service for. Names are fresh unless they are given.
 */
import type { Connection } from './client.ts';

const RESERVE = '/api/v1/Reservation/reserve';
const UNRESERVE = '/api/v1/Reservation/unreserve';
/** Long enough that nothing falls due while it is measured. */
const TTL_SECONDS = 3600;

let fresh = 0;

/** A name that nobody has had. */
export const freshName = (): string => `resource-${fresh++}`;

/** The body that reserves so many resources with a lease. */
export function reserveBody(count: number, name: () => string = freshName): string {
  const items: string[] = [];
  for (let i = 0; i < count; i++)
    items.push(`{"resource":"${name()}","requester":"worker-1","ttlSeconds":${TTL_SECONDS}}`);
  return `[${items.join()}]`;
}

/** Reserves one resource. */
export const reserveOne = (connection: Connection, head?: string): Promise<string> =>
  connection.post(RESERVE, reserveBody(1), head);

/** Reserves and releases so many at a time, which must all be had: the answer to the one is the body of the other. */
export async function cycle(connection: Connection, count = 1, name = freshName, head?: string): Promise<void> {
  const results = await connection.post(RESERVE, reserveBody(count, name), head);
  if (!results.includes('"ACQUIRED"') || results.includes('"releaseToken":null'))
    throw new Error(results.slice(0, 300));
  await connection.post(UNRESERVE, results, head);
}
