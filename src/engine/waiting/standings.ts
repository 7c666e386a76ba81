/**
 * Reads where the requests of a requester stand that wait, or were granted and are not claimed yet, for the dashboard.
 */
import type { Mode } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, toInteger, toMs, toText } from '../../redis/reply.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';

export interface Standing {
  /** Whether it was granted, and is to be claimed. */
  readonly isGranted: boolean;
  /** The number of tickets before it. */
  readonly ahead: number;
  readonly waitsFor: string;
  readonly since: string;
  /** When the grant ends if nobody claims it, or the wait. */
  readonly until: string;
  readonly mode: Mode | undefined;
  /** What the request names, in its order. */
  readonly resources: readonly string[];
}

/**
 * @returns the first 50, in no order
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function standings(engine: Engine, credential: Credential, requester: string): Promise<Standing[]> {
  return (await call(engine, 'standings', credential, () => [requester])).map(toStanding);
}

function toStanding(reply: unknown): Standing {
  const [granted, ahead, waitsFor, since, until, mode, resources] = parseItem(reply);
  return {
    isGranted: granted === '1',
    ahead: toInteger(ahead),
    waitsFor: toText(waitsFor),
    since: new Date(toMs(since)).toISOString(),
    until: new Date(toMs(until)).toISOString(),
    mode: mode === 'SHARED' ? mode : undefined,
    resources: toText(resources).split('\t'),
  };
}
