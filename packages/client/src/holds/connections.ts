/**
 * How many responses a page lets the service hold. Browsers open six connections to a host under HTTP/1.1, and releases
 * and renewals need one. Further waits ask again and again instead.
 */
import { ENDLESS } from '../durations.ts';

const MAX_HELD = 'document' in globalThis || 'importScripts' in globalThis ? 3 : ENDLESS;

let held = 0;

/** @param call is told whether the service may hold its response */
export async function shareConnections<T>(call: (mayHold: boolean) => Promise<T>): Promise<T> {
  const mayHold = held < MAX_HELD;
  if (!mayHold) return call(false);
  held++;
  try {
    return await call(true);
  } finally {
    held--;
  }
}
