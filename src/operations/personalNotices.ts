/**
 * The personal notices that members choose for themselves, in each tenant (docs/specification.md#personal-notices).
 * Nothing is sent to a member who has not chosen it in that tenant.
 */
import { HoldfastError } from '../domain/errors.ts';
import { CHANNELS, type Channel, NO_MAIL, PERSONAL_NOTICES } from '../domain/notices.ts';
import type { Choices } from '../domain/personalNotices.ts';
import type { Charged } from '../domain/quota.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import * as store from '../store/noticeChoices.ts';
import type { Store } from '../store/records.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';
import { followChoices } from './personsCursor.ts';

export interface ChoiceDeps extends Pick<OperationDeps, 'engine' | 'activity'> {
  readonly store: Store;
  /** True if this service sends e-mail. */
  readonly hasMail: boolean;
}

/** What a member has chosen, and what they can choose. */
export interface MyNotices {
  readonly choices: Choices;
  /** Why nothing can be sent by a channel, as a sentence; null: it can be chosen */
  readonly faults: Readonly<Record<Channel, string | null>>;
  /** The address that e-mail goes to; null: there is none */
  readonly email: string | null;
}

function faultsOf({ email, slack }: store.Chosen, hasMail: boolean): MyNotices['faults'] {
  const noAddress = 'Your identity provider has not verified an e-mail address of yours.';
  return {
    email: hasMail ? (email === null ? noAddress : null) : NO_MAIL,
    slack: slack !== null ? null : 'Your account in Slack is not linked: say "/holdfast link" there.',
    browser: null,
  };
}

/** Reads what a member has chosen. Costs nothing. @throws HoldfastError unavailable */
export async function readMyNotices(
  deps: Pick<ChoiceDeps, 'store' | 'hasMail'>,
  tenant: string,
  userId: string,
): Promise<MyNotices> {
  const chosen = await store.readChosen(deps.store, tenant, userId);
  return { choices: chosen.choices, email: chosen.email, faults: faultsOf(chosen, deps.hasMail) };
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

function choose(
  deps: ChoiceDeps,
  by: Actor,
  userId: string,
  change: (now: Choices) => Choices,
): Promise<Charged<Choices>> {
  const { credential, actor, address } = by;
  const after = (chosen: store.Chosen) => {
    const choices = change(chosen.choices);
    const faults = faultsOf(chosen, deps.hasMail);
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
    const choices = await store.changeChoices(deps.store, tenant, userId, { actor, address }, after);
    // If this instance dies here, a worker makes the cursor.
    await followChoices(deps.store, tenant);
    return choices;
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'read'), carryOut));
}
