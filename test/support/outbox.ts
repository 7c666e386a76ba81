/**
 * Outboxes of tenants (lua/events/outbox.lua), as tests read them.
 */
import { type EventType, maskOf } from '../../src/domain/eventTypes.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/tenants.ts';
import type { Tier } from '../../src/domain/tiers.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import type { RedisClient } from '../../src/redis/client.ts';
import type { Box } from '../../src/redis/layouts.ts';
import type { RunningEngine } from './engine.ts';
import { hotOf } from './hotRecord.ts';

interface Wanted {
  readonly types?: readonly (EventType | '*')[];
  readonly ofPersons?: readonly (EventType | '*')[];
  readonly tier?: Tier;
}

/** Loads a record of the tenant whose outbox wants these types of events. */
export async function wantEvents(
  { engine: { redis }, credential: { tenant, credentialKey } }: Pick<RunningEngine, 'engine' | 'credential'>,
  { types = [], ofPersons = [], tier = 'Enterprise' }: Wanted,
): Promise<void> {
  const record = {
    id: tenant,
    version: null,
    tier,
    suspended: false,
    ...DEFAULT_SETTINGS,
    keys: [{ digest: credentialKey, label: 'worker', grant: null }],
    notices: { types: maskOf(types), personTypes: maskOf(ofPersons) },
  };
  await loadTenant(redis, record, { definitionsVersion: 0, lease: null });
}

/** An event in the outbox: its line, read. */
export type BoxedEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Entry {
  readonly id: string;
  readonly ms: number;
  /** Number of events before it. */
  readonly events: number;
  readonly bytes: number;
  readonly lines: readonly BoxedEvent[];
}

export const outboxKey = (tenant: string): string => `{${tenant}}:outbox`;

/** The entries, oldest first. @param after the id of an entry: only newer ones */
export async function entriesIn(redis: RedisClient, tenant: string, after = '0-0'): Promise<Entry[]> {
  const found = await redis.xrange(outboxKey(tenant), `(${after}`, '+');
  return found.map(([id, [, value = '']]) => {
    const [head = '', ...lines] = value.split('\n');
    const [ms = 0, , events = 0, number] = head.split(' ').map(Number);
    const read = lines.filter((line) => line !== '').map((line): BoxedEvent => JSON.parse(line));
    if (read.length !== number) throw new Error(`${head}: ${read.length} lines`);
    return { id, ms, events, bytes: Buffer.byteLength(value), lines: read };
  });
}

/** The types of all events, oldest first. */
export const typesIn = async (redis: RedisClient, tenant: string): Promise<string[]> =>
  (await entriesIn(redis, tenant)).flatMap(({ lines }) => lines.map(({ type }) => type));

/** The numbers of the outbox. */
export async function boxOf(redis: RedisClient, tenant: string): Promise<Box> {
  const { box } = await hotOf(redis, tenant);
  if (box === null) throw new Error('the tenant has no outbox');
  return box;
}

/** Reads an outbox on and on, as a receiver does. */
export class ReadOutbox {
  readonly #redis: RedisClient;
  readonly #tenant: string;
  #last = '0-0';
  #events = 0;
  #held = 0;

  constructor(redis: RedisClient, tenant: string) {
    this.#redis = redis;
    this.#tenant = tenant;
  }

  /**
   * Returns how many reservations there are, if what the outbox says is true and complete.
   * @throws Error if an event is missing
   */
  async held(): Promise<number> {
    for (const { id, events, lines } of await entriesIn(this.#redis, this.#tenant, this.#last)) {
      if (events !== this.#events) throw new Error(`the outbox goes on at ${events}, not at ${this.#events}`);
      this.#events += lines.length;
      this.#last = id;
      for (const line of lines) this.#held = line.type === 'RESET' ? 0 : this.#held + changeOf(line);
    }
    return this.#held;
  }
}

const CHANGE_OF: Readonly<Record<string, number>> = { RESERVED: 1, ACQUIRED: 1, UNRESERVED: -1, RELINQUISHED: -1 };

function changeOf({ type, changes }: BoxedEvent): number {
  if (type !== 'TRANSACTION_APPLIED' || !Array.isArray(changes)) return CHANGE_OF[type] ?? 0;
  return changes.reduce((sum: number, { explanation }) => sum + (CHANGE_OF[explanation] ?? 0), 0);
}
