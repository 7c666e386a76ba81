/**
 * The personal notices that members choose for themselves, in each tenant (docs/specification.md#personal-notices).
 * Nothing is sent to a member who has not chosen it in that tenant.
 */
import { HoldfastError } from '../domain/errors.ts';
import { CHANNELS, type Channel, NO_MAIL, NO_PUSH, PERSONAL_NOTICES } from '../domain/notices.ts';
import { type Choices, PERSONS } from '../domain/personalNotices.ts';
import type { Charged } from '../domain/quota.ts';
import { dropCursor, startCursor } from '../engine/notices/cursors.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import type { Sealer } from '../identity/credentials.ts';
import { PushTarget } from '../notices/push/encrypt.ts';
import { addressFault, type Rules } from '../outgoing/addresses.ts';
import { readSentNotices } from '../store/choosers.ts';
import * as store from '../store/noticeChoices.ts';
import { type Device, putDevice } from '../store/pushDevices.ts';
import type { Store } from '../store/records.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';

export interface ChoiceDeps extends Pick<OperationDeps, 'engine' | 'activity'> {
  readonly store: Store;
  /** True if this service sends e-mail. */
  readonly hasMail: boolean;
  /** The key that browsers subscribe to pushes with; null: this service pushes nothing */
  readonly pushKey: string | null;
}

/** What a member has chosen, and what they can choose. */
export interface MyNotices {
  readonly choices: Choices;
  /** Why nothing can be sent by a channel, as a sentence; null: it can be chosen */
  readonly faults: Readonly<Record<Channel, string | null>>;
  /** The address that e-mail goes to; null: there is none */
  readonly email: string | null;
}

type Reachable = Pick<ChoiceDeps, 'hasMail' | 'pushKey'>;

function faultsOf({ email, slack, hasDevice }: store.Chosen, { hasMail, pushKey }: Reachable): MyNotices['faults'] {
  const noAddress = 'Your identity provider has not verified an e-mail address of yours.';
  return {
    email: hasMail ? (email === null ? noAddress : null) : NO_MAIL,
    slack:
      slack !== null
        ? null
        : 'Your account in Slack is not linked. If this tenant has a Slack app, write "/holdfast link" in any channel.',
    push: pushKey === null ? NO_PUSH : hasDevice ? null : 'It is on for no device of yours.',
    browser: null,
  };
}

/** Reads what a member has chosen. Costs nothing. @throws HoldfastError unavailable */
export async function readMyNotices(
  deps: Pick<ChoiceDeps, 'store'> & Reachable,
  tenant: string,
  userId: string,
): Promise<MyNotices> {
  const chosen = await store.readChosen(deps.store, tenant, userId);
  return { choices: chosen.choices, email: chosen.email, faults: faultsOf(chosen, deps) };
}

/**
 * Changes what the caller has chosen: the notices that are given. Costs one write.
 * @throws HoldfastError refused for a channel that cannot be chosen; unknown if they are no member by now;
 * unauthenticated, forbidden, unavailable; LimitError
 */
export const chooseNotices = (
  deps: ChoiceDeps,
  by: Actor,
  userId: string,
  change: Partial<Choices>,
): Promise<Charged<Choices>> => choose(deps, by, userId, (now) => ({ ...now, ...change }));

/**
 * Adds e-mail to the channels by which the caller learns that it is their turn. Costs one write.
 * @throws as chooseNotices()
 */
export const tellTurnByEmail = (deps: ChoiceDeps, by: Actor, userId: string): Promise<Charged<Choices>> =>
  choose(deps, by, userId, (now) => ({ ...now, TURN: [...now.TURN, 'email'] }));

/**
 * Turns on push for a device of the caller. If they have chosen nothing by push yet, they are told of their turns and
 * of the ends of their leases. Costs one write.
 * @param deviceId what the cookie of the browser has
 * @throws HoldfastError refused if this service pushes nothing, or not there; as chooseNotices()
 */
export async function turnOnPush(
  deps: ChoiceDeps & { readonly sealer: Sealer; readonly webhookRules: Rules },
  by: Actor,
  device: Device,
  subscription: Readonly<Record<keyof PushTarget, string>>,
): Promise<Charged<Choices>> {
  const { credential } = by;
  if (deps.pushKey === null) throw new HoldfastError('refused', NO_PUSH);
  const { data: target } = PushTarget.safeParse(subscription);
  if (target === undefined) throw new HoldfastError('refused', 'The keys of the browser are malformed.');
  const fault = addressFault(target.endpoint, deps.webhookRules);
  if (fault !== null) throw new HoldfastError('refused', `The address of the push service ${fault}.`);
  const isChosen = (now: Choices) => PERSONAL_NOTICES.some((what) => now[what].includes('push'));
  const firstOnes = (now: Choices): Choices =>
    isChosen(now) ? now : { ...now, TURN: [...now.TURN, 'push'], ENDS_SOON: [...now.ENDS_SOON, 'push'] };
  return choose(deps, by, device.userId, firstOnes, async () =>
    putDevice(deps.store, credential.tenant, device, await deps.sealer.seal(JSON.stringify(target))),
  );
}

/** @param first is done before, once the call is paid for */
function choose(
  deps: ChoiceDeps,
  by: Actor,
  userId: string,
  change: (now: Choices) => Choices,
  first = async () => {},
): Promise<Charged<Choices>> {
  const { credential, actor, address } = by;
  const after = (chosen: store.Chosen) => {
    const choices = change(chosen.choices);
    const faults = faultsOf(chosen, deps);
    for (const channel of CHANNELS) {
      const fault = faults[channel];
      const isNew = PERSONAL_NOTICES.some(
        (what) => choices[what].includes(channel) && !chosen.choices[what].includes(channel),
      );
      if (isNew && fault !== null) throw new HoldfastError('refused', fault);
    }
    return choices;
  };
  const carryOut = async () => {
    const { tenant } = credential;
    await first();
    const choices = await store.changeChoices(deps.store, tenant, userId, { actor, address }, after);
    // If this instance dies here, a worker makes the cursor.
    await followChoices(deps.store, tenant);
    return choices;
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'read'), carryOut));
}

/**
 * Makes the cursor of personal notices in a tenant's outbox, or deletes it if no member has chosen anything. Nobody is
 * told what happened before. An outbox that nothing wants is deleted: a cursor in it must go, too, since it would be
 * wrong in the next one.
 * @throws HoldfastError unavailable
 */
export async function followChoices(store: Store, tenant: string): Promise<void> {
  const notices = await readSentNotices(store, tenant);
  if (notices.length === 0) await dropCursor(store.redis, tenant, PERSONS);
  else await startCursor(store.redis, tenant, PERSONS, 'end', false);
}
