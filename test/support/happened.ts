/**
 * Events as deliveries have them, for tests.
 */
import { randomUUID } from 'node:crypto';
import { type Event, fieldsMissingFrom } from '../../src/contract/events.ts';
import type { Happened } from '../../src/notices/sending.ts';

type Fields = Partial<Omit<Happened, 'type'>>;

/** An event that has just happened. */
export function happened(type: Event['type'], fields: Fields = {}): Happened {
  const nulls = Object.fromEntries(fieldsMissingFrom(type).map((field) => [field, null]));
  const event = {
    ...{ id: `1-${randomUUID()}-0`, type, tenantId: 'acme', timestamp: new Date().toISOString() },
    ...{ resource: 'staging', requester: 'person:ann@id.example', explanation: 'ACQUIRED' },
    ...({ resourceType: 'UserDefined', apiKeyLabel: null, requestType: 'RESERVE', expiresAt: null } as const),
    ...{ acquiredSlots: null, fencingToken: 1, actor: null, method: null, changes: null, limitType: null, limit: null },
  };
  return { ...event, ...nulls, ...fields };
}
