/**
 * The attempts to deliver to a subscription, and tests of it (docs/specification.md#subscriptions).
 */
import { HoldfastError, LimitError } from '../domain/errors.ts';
import type { Attempt } from '../domain/notices.ts';
import type { Charged } from '../domain/quota.ts';
import { addAttempt, attemptsOf } from '../engine/notices/attempts.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import type { Places } from '../limits/places.ts';
import { ATTEMPT_MS, makeWebhookId, type Outlets, testEvent } from '../notices/sending.ts';
import { findSubscription, noSuchSubscription } from '../store/subscriptions.ts';
import { charged, countUse } from './charging.ts';
import type { Actor } from './permissions.ts';
import { openSubscription } from './sealedSubscriptions.ts';
import type { SubscriptionDeps } from './subscriptions.ts';

export interface DeliveryDeps extends SubscriptionDeps {
  readonly outlets: Outlets;
  /** The tests that this instance makes. */
  readonly tests: Places<symbol>;
}

/** Maximum number of tests of a tenant that an instance makes at the same time. */
const MAX_TESTS = 2;

/**
 * Lists the last 100 attempts, the latest first. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readDeliveries = (
  deps: SubscriptionDeps,
  { credential }: Actor,
  id: string,
): Promise<Charged<readonly Attempt[]>> => {
  const { tenant } = credential;
  const read = async () => {
    await findRow(deps, tenant, id);
    return attemptsOf(deps.engine.redis, tenant, id);
  };
  return countUse(deps, credential, charged(deps.reads.charge(credential, 'settings'), read));
};

/**
 * Sends a test to a subscription, also to one that is disabled. Costs one write.
 * @returns what became of it
 * @throws HoldfastError unknown; refused if this service cannot send it; unauthenticated, forbidden, unavailable;
 * LimitError, also if too many tests are made at the same time
 */
export const testSubscription = (
  deps: DeliveryDeps,
  { credential }: Actor,
  id: string,
): Promise<Charged<Pick<Attempt, 'status' | 'fault' | 'durationMs'>>> =>
  countUse(
    deps,
    credential,
    charged(chargeWrite(deps.engine, credential, 'settings'), () => test(deps, credential.tenant, id)),
  );

async function test(deps: DeliveryDeps, tenant: string, id: string) {
  const subscription = await openSubscription(deps.sealer, tenant, await findRow(deps, tenant, id));
  if (subscription === null)
    throw new HoldfastError(
      'refused',
      'KEY_SECRET has changed: set the address and the secret of the subscription anew',
    );
  const outlet = deps.outlets[subscription.kind];
  if (outlet === undefined)
    throw new HoldfastError('refused', `This service cannot send to subscriptions of kind ${subscription.kind}.`);
  const [webhookId, at] = [makeWebhookId(), Date.now()];
  const batch = { webhookId, events: [testEvent(tenant)] };
  const outcome = await inPlace(deps.tests, tenant, () =>
    outlet.send(subscription, batch, AbortSignal.timeout(ATTEMPT_MS)),
  );
  const { status, fault } = outcome;
  const result = { status, fault, durationMs: Date.now() - at };
  await addAttempt(deps.engine.redis, tenant, id, { at, webhookId, attempt: 1, events: 0, ...result });
  return result;
}

async function inPlace<T>(tests: Places<symbol>, tenant: string, send: () => Promise<T>): Promise<T> {
  if (tests.givesWay(tenant, MAX_TESTS) !== undefined)
    throw new LimitError('Too many subscriptions are tested at the same time. Wait for a test to end.', {
      limitType: 'ConcurrentTests',
      limit: MAX_TESTS,
      tier: null,
      retryAfter: 1,
      upgradeRequired: false,
    });
  const place = Symbol();
  tests.add(tenant, place);
  try {
    return await send();
  } finally {
    tests.delete(tenant, place);
  }
}

async function findRow(deps: SubscriptionDeps, tenant: string, id: string) {
  const row = await findSubscription(deps.store, tenant, id);
  if (row === null) throw noSuchSubscription();
  return row;
}
