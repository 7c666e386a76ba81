/**
 * What clients ask the service for.
 */
import type { Connection } from './client.ts';

const RESERVE = '/api/v1/Reservation/reserve';
const UNRESERVE = '/api/v1/Reservation/unreserve';
/** Long enough that nothing falls due while it is measured. */
const TTL_SECONDS = 3600;

let fresh = 0;

/** A name that nobody has had. */
export const freshName = (): string => `resource-${fresh++}`;

const LEASE = `,"ttlSeconds":${TTL_SECONDS}`;

function itemsOf(count: number, name: () => string, requester: string, more = LEASE): string {
  const items: string[] = [];
  for (let i = 0; i < count; i++) items.push(`{"resource":"${name()}","requester":"${requester}"${more}}`);
  return `[${items.join()}]`;
}

/** Reserves a fresh resource. */
export const reserveOne = (connection: Connection, head?: string): Promise<string> =>
  connection.post(RESERVE, itemsOf(1, freshName, 'worker-1'), head);

export interface CycleOptions {
  /** Fresh ones by default. */
  readonly name?: () => string;
  readonly requester?: string;
  /** In place of the connection's. */
  readonly head?: string | undefined;
  /** Whether what is reserved falls due, if not released; it does by default. */
  readonly isLease?: boolean;
}

/** Reserves so many at once, and releases them: the answer to the one is the body of the other. */
export async function cycle(
  connection: Connection,
  count = 1,
  { name = freshName, requester = 'worker-1', head, isLease = true }: CycleOptions = {},
): Promise<void> {
  const results = await connection.post(RESERVE, itemsOf(count, name, requester, isLease ? LEASE : ''), head);
  if (results.includes('"releaseToken":null')) throw new Error(`not reserved: ${results.slice(0, 300)}`);
  await connection.post(UNRESERVE, results, head);
}

/** The same with a name that others want as well. @returns whether it was free */
export async function tryCycle(connection: Connection, name: string, requester: string): Promise<boolean> {
  const results = await connection.post(
    RESERVE,
    itemsOf(1, () => name, requester),
  );
  if (!results.includes('"ACQUIRED"')) return false;
  await connection.post(UNRESERVE, results);
  return true;
}

/** Reserves so many or none in a transaction, and releases them. */
export async function cycleAllOrNone(connection: Connection, count: number): Promise<void> {
  const requests = itemsOf(count, freshName, 'worker-1', `${LEASE},"requestType":"RESERVE"`);
  const answer = await connection.post(
    '/api/v1/Reservation/transaction',
    `{"method":"ALL_OR_NONE","requests":${requests}}`,
  );
  const results = answer.slice(answer.indexOf('"results":') + '"results":'.length, -1);
  if (results.includes('"releaseToken":null')) throw new Error(`not reserved: ${answer.slice(0, 300)}`);
  await connection.post(UNRESERVE, results);
}

/** Asks who holds a resource. */
export const check = (connection: Connection, resource: string): Promise<string> =>
  connection.post('/api/v1/Reservation/check', `[{"resource":"${resource}"}]`);

/** Asks whether a resource is free. */
export const available = (connection: Connection, resource: string): Promise<string> =>
  connection.get(`/api/v1/Resource/available/${resource}`);
