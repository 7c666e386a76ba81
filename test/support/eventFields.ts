/**
 * An instance whose clock stands still, with one subscriber a test, for tests that compare events field by field.
 * `useEventFields` starts and stops it.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';
import { type Subscriber, watch } from './watch.ts';

export const NOW = Date.parse('2048-02-29T23:59:59.007Z');

export let holdfast: Instance;
export let subscriber: Subscriber;

/** To be called at the top of a test file. */
export function useEventFields(): void {
  beforeAll(async () => {
    holdfast = await startInstance({
      keys: [{ ...makeConfiguredKey(makeTenant(), 'wörk "er"'), tier: 'Free' }],
      includes: { 'frame/now': STEERED_CLOCK },
    });
    await setClock(holdfast.redis, holdfast.tenant, NOW);
  });
  afterAll(() => holdfast.stop());
  beforeEach(async () => {
    await holdfast.reset();
    subscriber = await watch(holdfast);
  });
  afterEach(async () => {
    subscriber.close();
    await setClock(holdfast.redis, holdfast.tenant, NOW);
    for (const received of subscriber.events) Event.strict().parse(received);
  });
}

export const event = (fields: object) => ({
  tenantId: holdfast.tenant,
  resource: null,
  requester: null,
  explanation: null,
  resourceType: null,
  apiKeyLabel: 'wörk "er"',
  timestamp: '2048-02-29T23:59:59.007Z',
  expiresAt: null,
  acquiredSlots: null,
  fencingToken: null,
  method: null,
  changes: null,
  limitType: null,
  limit: null,
  actor: null,
  ...fields,
});
export type LeaseFields = Pick<Event, 'expiresAt' | 'acquiredSlots' | 'fencingToken'>;
export const reserve = async (resource: string, requester = 'a', more = {}) =>
  (await holdfast.reserve({ resource, requester, ...more })).body[0];
