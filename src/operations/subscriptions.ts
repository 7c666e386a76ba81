/**
 * A tenant's subscriptions to its events: list, read, create, change, rotate, delete
 * (docs/specification.md#subscriptions).
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { NewSubscription, SubscriptionChange } from '../contract/notices.ts';
import { HoldfastError, LimitError } from '../domain/errors.ts';
import {
  type AskedTarget,
  DEFAULT_TYPES,
  type DisabledReason,
  NO_MAIL,
  type SubscriptionKind,
  type Target,
  targetFault,
  targetOf,
} from '../domain/notices.ts';
import type { Charged } from '../domain/quota.ts';
import { dropAttempts } from '../engine/notices/attempts.ts';
import { dropCursor, startCursor } from '../engine/notices/cursors.ts';
import { chargeWrite, emitLimitReached } from '../engine/tenant/usage.ts';
import type { Sealer } from '../identity/credentials.ts';
import { addressFault, type Rules } from '../outgoing/addresses.ts';
import { isSlackHook, type SlackSite } from '../outgoing/slack.ts';
import { IdInUse, type Store } from '../store/records.ts';
import * as store from '../store/subscriptions.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';
import { makeWebhookSecret, openSubscription, sealTarget } from './sealedSubscriptions.ts';

export interface SubscriptionDeps extends Pick<OperationDeps, 'engine' | 'activity' | 'reads'> {
  readonly store: Store;
  readonly sealer: Sealer;
  /** The addresses that webhooks may have. */
  readonly webhookRules: Rules;
  /** Where Slack is. */
  readonly slack: SlackSite;
  /** True if this service sends e-mail. */
  readonly hasMail: boolean;
}

/** A subscription as its tenant sees it. */
export interface ListedSubscription
  extends Omit<store.SubscriptionRow, 'target' | 'secret' | 'previousSecret' | 'disabledReason' | 'types' | 'enabled'> {
  readonly types: readonly string[];
  readonly enabled: boolean;
  readonly channel: string | null;
  readonly addresses: readonly string[] | null;
  /** Why the service sends nothing; null: it does, if it is enabled */
  readonly stoppedBy: DisabledReason | 'LIMIT' | 'UNREADABLE' | null;
}

/**
 * Lists the subscriptions, the oldest first. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listSubscriptions = (
  deps: SubscriptionDeps,
  { credential }: Actor,
): Promise<Charged<ListedSubscription[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'settings'), () => listAll(deps, credential.tenant)),
  );

/**
 * Reads a subscription. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readSubscription = (
  deps: SubscriptionDeps,
  { credential }: Actor,
  id: string,
): Promise<Charged<ListedSubscription>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'settings'), () => readOne(deps, credential.tenant, id)),
  );

async function readOne(deps: SubscriptionDeps, tenant: string, id: string): Promise<ListedSubscription> {
  const of = await store.readSubscriptions(deps.store, tenant);
  const row = of?.rows.find((one) => one.id === id);
  if (of === null || row === undefined) throw store.noSuchSubscription();
  return listing(deps, tenant, of)(row);
}

async function listAll(deps: SubscriptionDeps, tenant: string): Promise<ListedSubscription[]> {
  const of = await store.readSubscriptions(deps.store, tenant);
  if (of === null) return [];
  return Promise.all(of.rows.map(listing(deps, tenant, of)));
}

/** Returns what makes a row of a tenant a listed subscription. */
function listing({ engine, sealer }: SubscriptionDeps, tenant: string, of: store.OfTenant) {
  const within = store.withinLimit(of, engine.tiers);
  return (row: store.SubscriptionRow) => toListed(sealer, tenant, row, row.enabled && !within.has(row.id));
}

async function toListed(
  sealer: Sealer,
  tenant: string,
  row: store.SubscriptionRow,
  isBeyondLimit: boolean,
): Promise<ListedSubscription> {
  const { target: _, secret: __, previousSecret: ___, disabledReason, ...listed } = row;
  const opened = await openSubscription(sealer, tenant, row);
  const target = opened?.target;
  return {
    ...listed,
    channel: target !== undefined && 'channel' in target ? target.channel : null,
    addresses: target !== undefined && 'addresses' in target ? target.addresses : null,
    stoppedBy: disabledReason ?? (opened === null ? 'UNREADABLE' : isBeyondLimit ? 'LIMIT' : null),
  };
}

/**
 * Makes a subscription. It gets what happens after this returns. Costs one write. A repeat with the same id and content
 * changes nothing.
 * @returns its secret; null: it has none, or the call was a repeat
 * @throws HoldfastError refused for a target that cannot be, or if the id has another content; unauthenticated,
 * forbidden, unavailable; LimitError, also if the tier allows no more
 */
export const createSubscription = (
  deps: SubscriptionDeps,
  by: Actor,
  asked: NewSubscription,
): Promise<Charged<{ readonly made: ListedSubscription; readonly secret: string | null; readonly isNew: boolean }>> => {
  const { credential } = by;
  const { tenant } = credential;
  const create = async () => {
    const target = checkedTarget(deps, asked.kind, asked);
    if (target === null) throw new Error('the schema of the request takes none without a target');
    const secret = asked.kind === 'webhook' ? makeWebhookSecret() : null;
    const wanted = {
      id: asked.id ?? randomUUID(),
      kind: asked.kind,
      label: asked.label,
      types: [...(asked.types ?? DEFAULT_TYPES[asked.kind])],
      prefix: asked.prefix,
      enabled: asked.enabled,
      ...(await sealTarget(deps.sealer, target)),
      secret: secret === null ? null : await deps.sealer.seal(secret),
    };
    try {
      const row = await store.createSubscription(deps.store, deps.engine.tiers, tenant, wanted, target, by);
      // The record is in Redis by now: the outbox keeps what happens from here on.
      if (row.enabled) await startCursor(deps.engine.redis, tenant, row.id, 'end', false);
      return { made: await toListed(deps.sealer, tenant, row, false), secret, isNew: true };
    } catch (error) {
      if (error instanceof LimitError)
        await emitLimitReached(deps.engine, credential, null, 'Notices', error.hit.limit);
      if (!(error instanceof IdInUse)) throw error;
      return { made: await readSame(deps, tenant, wanted, target, error), secret: null, isNew: false };
    }
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), create));
};

/** Reads the subscription that an earlier call with the same id has made. @throws `error` if it differs */
async function readSame(
  deps: SubscriptionDeps,
  tenant: string,
  wanted: store.NewSubscription,
  target: Target,
  error: IdInUse,
): Promise<ListedSubscription> {
  const row = await store.findSubscription(deps.store, tenant, wanted.id);
  if (row === null) throw error;
  const { kind, label, types, prefix, enabled } = row;
  const opened = await openSubscription(deps.sealer, tenant, row);
  const isSame = isDeepStrictEqual(
    { kind, label, types, prefix, enabled, target: opened?.target },
    { ...pick(wanted), target },
  );
  if (!isSame) throw error;
  return readOne(deps, tenant, wanted.id);
}

const pick = ({ kind, label, types, prefix, enabled }: store.NewSubscription) => ({
  kind,
  label,
  types,
  prefix,
  enabled,
});

/**
 * Changes a subscription: the fields that are given. Costs one write.
 * @throws HoldfastError unknown; refused for a target that cannot be; unauthenticated, forbidden, unavailable;
 * LimitError
 */
export const changeSubscription = (
  deps: SubscriptionDeps,
  by: Actor,
  id: string,
  { url, channel, addresses, types, ...rest }: SubscriptionChange,
): Promise<Charged<ListedSubscription>> => {
  const { credential } = by;
  const { tenant } = credential;
  const asked = { url, channel, addresses };
  const put = async () => {
    const found = await store.findSubscription(deps.store, tenant, id);
    if (found === null) throw store.noSuchSubscription();
    const target = checkedTarget(deps, found.kind, asked);
    const change = {
      ...rest,
      ...(types === undefined ? {} : { types: [...types] }),
      ...(target === null ? {} : await sealTarget(deps.sealer, target)),
    };
    const { before, after } = await store.changeSubscription(deps.store, tenant, id, change, target, by);
    if (before.enabled && !after.enabled) await dropCursor(deps.engine.redis, tenant, id);
    if (!before.enabled && after.enabled) await startCursor(deps.engine.redis, tenant, id, 'end', true);
    return readOne(deps, tenant, id);
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), put));
};

/** @throws HoldfastError refused if a subscription of the kind cannot have this target */
function checkedTarget(deps: SubscriptionDeps, kind: SubscriptionKind, asked: AskedTarget): Target | null {
  const [field, fault] = targetFault(kind, asked) ?? ['url', urlFault(deps, kind, asked.url)];
  if (fault !== null) throw new HoldfastError('refused', `${field} ${fault}`);
  if (asked.addresses !== undefined && !deps.hasMail) throw new HoldfastError('refused', NO_MAIL);
  return targetOf(asked);
}

function urlFault(deps: SubscriptionDeps, kind: SubscriptionKind, url: string | undefined): string | null {
  if (url === undefined) return null;
  if (kind === 'webhook') return addressFault(url, deps.webhookRules);
  return isSlackHook(deps.slack, url) ? null : `must begin with ${deps.slack.hooks}/`;
}

/**
 * Replaces the secret of a webhook. For 24 hours, the one before signs, too. Costs one write.
 * @throws HoldfastError unknown; refused if it has no secret; unauthenticated, forbidden, unavailable; LimitError
 */
export const rotateSecret = (
  deps: SubscriptionDeps,
  by: Actor,
  id: string,
): Promise<Charged<{ readonly made: ListedSubscription; readonly secret: string }>> => {
  const { credential } = by;
  const rotate = async () => {
    const secret = makeWebhookSecret();
    await store.rotateSecret(deps.store, credential.tenant, id, await deps.sealer.seal(secret), by);
    return { made: await readOne(deps, credential.tenant, id), secret };
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), rotate));
};

/**
 * Deletes a subscription, with what it has not been sent. Costs one write.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const deleteSubscription = (deps: SubscriptionDeps, by: Actor, id: string): Promise<Charged<void>> => {
  const { credential } = by;
  const remove = async () => {
    await store.deleteSubscription(deps.store, credential.tenant, id, by);
    await dropCursor(deps.engine.redis, credential.tenant, id);
    await dropAttempts(deps.engine.redis, credential.tenant, id);
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), remove));
};
