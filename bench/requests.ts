/**
 * The requests of clients.
 */
import type { Connection } from './client.ts';

const RESERVE = '/api/v1/Reservation/reserve';
const UNRESERVE = '/api/v1/Reservation/unreserve';
/** Long enough that nothing expires during a measurement. */
const TTL_SECONDS = 3600;

let fresh = 0;

/** Returns a name that has not been used. */
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
  /** Unused names by default. */
  readonly name?: () => string;
  readonly requester?: string;
  /** Header lines that replace the connection's. */
  readonly head?: string | undefined;
  /** True if the reservations expire; true by default. */
  readonly isLease?: boolean;
}

/** Reserves a batch and releases it. The response to the first request is the body of the second. */
export async function cycle(
  connection: Connection,
  count = 1,
  { name = freshName, requester = 'worker-1', head, isLease = true }: CycleOptions = {},
): Promise<void> {
  const results = await connection.post(RESERVE, itemsOf(count, name, requester, isLease ? LEASE : ''), head);
  if (results.includes('"releaseToken":null')) throw new Error(`not reserved: ${results.slice(0, 300)}`);
  await connection.post(UNRESERVE, results, head);
}

/** Reserves and releases a name that others also reserve. Returns whether it was free. */
export async function tryCycle(connection: Connection, name: string, requester: string): Promise<boolean> {
  const results = await connection.post(
    RESERVE,
    itemsOf(1, () => name, requester),
  );
  if (!results.includes('"ACQUIRED"')) return false;
  await connection.post(UNRESERVE, results);
  return true;
}

/** Releases what results of reserve describe. */
export const release = (connection: Connection, results: string): Promise<string> =>
  connection.post(UNRESERVE, results);

/** Long enough that no wait ends during a measurement. */
const WAIT_SECONDS = 3600;

/**
 * Reserves a name and waits for it as long as necessary.
 * @param more extra fields of the item, each after a comma
 * @returns the results, once it is reserved
 */
export async function reserveInTurn(
  connection: Connection,
  name: string,
  requester: string,
  more = LEASE,
): Promise<string> {
  const body = itemsOf(1, () => name, requester, `${more},"waitSeconds":${WAIT_SECONDS}`);
  for (;;) {
    const results = await connection.post(`${RESERVE}?pollSeconds=30`, body);
    if (results.includes('"ACQUIRED"')) return results;
    if (!results.includes('"WAITING"')) throw new Error(`did not wait: ${results.slice(0, 300)}`);
  }
}

/** Reserves a name for some seconds. Returns the results. */
export const reserveFor = (
  connection: Connection,
  name: string,
  requester: string,
  ttlSeconds = TTL_SECONDS,
): Promise<string> =>
  connection.post(
    RESERVE,
    itemsOf(1, () => name, requester, `,"ttlSeconds":${ttlSeconds}`),
  );

/** Reserves a batch in an ALL_OR_NONE transaction, and releases it. */
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

/** Checks who holds a resource. */
export const check = (connection: Connection, resource: string): Promise<string> =>
  connection.post('/api/v1/Reservation/check', `[{"resource":"${resource}"}]`);

/** Checks whether a resource is available. */
export const available = (connection: Connection, resource: string): Promise<string> =>
  connection.get(`/api/v1/Resource/available/${resource}`);
