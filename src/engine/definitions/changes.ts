/**
 * Changes definitions (docs/specification.md#store-modes-and-start; lua/definitions/checks.lua): registers and deletes
 * resources in steps, each of which is one script call for all items or none. Without a database, NOW does it in one
 * step. With one, PLAN and apply() enclose the write to the database.
 */

import type { Definition, Registration } from '../../contract/definitions.ts';
import { MAX_TREE_DEPTH } from '../../domain/maxSizes.ts';
import type { Quota } from '../../domain/quota.ts';
import { asService, type Credential } from '../../domain/tenants.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { decodeAttributes } from './attributes.ts';
import { attributesOf, decodeLabels, detailsOf, encodeRegistration } from './codec.ts';

export interface Step {
  readonly phase: 'now' | 'plan' | 'replan' | 'apply' | 'reopen';
  /** Names the plan that is applied by its version, or the one that is replaced or undone by its `closedUntil`. */
  readonly plan: string;
  /**
   * Which credential runs the step. Later steps run as the service: the caller was authenticated and charged in the
   * first.
   */
  readonly as: (credential: Credential) => Credential;
}

const asCaller = (credential: Credential) => credential;
const byService = ({ tenant }: Credential) => asService(tenant);

export const NOW: Step = { phase: 'now', plan: '', as: asCaller };
export const PLAN: Step = { phase: 'plan', plan: '', as: asCaller };
/** Plans again. */
export const replan = ({ closedUntil }: Planned): Step => ({ phase: 'replan', plan: closedUntil, as: asCaller });
/** Applies a plan. */
export const apply = ({ version }: Planned): Step => ({ phase: 'apply', plan: `${version}`, as: byService });
/** Opens the names that the plan of a deletion has closed to reservations. */
export const reopen = ({ closedUntil }: Planned): Step => ({ phase: 'reopen', plan: closedUntil, as: byService });

/** A change that is planned or applied. */
export interface Planned {
  /** The version of the definitions before the change. */
  readonly version: number;
  /** The label of the caller's key; '' for none. */
  readonly keyLabel: string;
  readonly quota: readonly Quota[];
  /**
   * The time of Redis until which the plan of a deletion has closed its names to reservations; '' if another plan has
   * closed one of them too, and in other phases.
   */
  readonly closedUntil: string;
}

export interface Registered extends Planned {
  /**
   * The definitions as stored: each name once, by its last item, then the missing ancestors that were registered too.
   */
  readonly definitions: Definition[];
}

/**
 * Registers resources (docs/specification.md#registration). Each step is one script call, for all items or none.
 * @throws HoldfastError refused, if an item contradicts another one or a definition; unauthenticated, forbidden,
 * unavailable; LimitError; StaleError
 */
export async function register(
  engine: Engine,
  credential: Credential,
  items: readonly Registration[],
  { phase, plan, as }: Step,
): Promise<Registered> {
  const { result, quota } = await callCharged(engine, 'register', as(credential), () => [
    phase,
    plan,
    MAX_TREE_DEPTH,
    CLOSING_MS,
    ...items.flatMap(encodeRegistration),
  ]);
  const [before, keyLabel, ...rest] = result;
  const stored = new Map(items.map((item) => [item.name, asStored(item)]));
  for (let i = 0; i < rest.length; i += KEPT_FIELDS) {
    const [name, treePath, group, ...kept] = rest.slice(i, i + KEPT_FIELDS).map(String);
    const item = stored.get(toText(name)) ?? {
      name: toText(name),
      capacity: 1,
      blocks: [],
      treePath: treePath || null,
    };
    stored.set(item.name, withKept(item, group === '1', kept));
  }
  const planned = { version: toInteger(before), keyLabel: toText(keyLabel), quota, closedUntil: '' };
  return { ...planned, definitions: [...stored.values()] };
}

/** The definition of an item, without what the item leaves as it is. */
const asStored = ({ name, capacity, blocks, treePath, group = false, ...extra }: Registration): Definition => ({
  name,
  capacity: group ? null : (capacity ?? 1),
  blocks,
  treePath,
  ...detailsOf(group, extra.labels ?? {}),
  ...(extra.bookable === true ? { bookable: true } : {}),
  ...(extra.afterUse === 'dirty' ? { afterUse: extra.afterUse } : {}),
  ...attributesOf(extra.attributes ?? {}, extra.slotAttributes ?? []),
});

/** The number of fields that the reply of register has for a name. */
const KEPT_FIELDS = 8;

/** A definition with what its item leaves as it is, as the reply of register has it. */
function withKept(
  { labels: _, afterUse: __, bookable: ___, attributes = {}, slotAttributes = [], ...item }: Definition,
  isGroup: boolean,
  [labels = '', afterUse, own = '', sets = '', bookable]: readonly string[],
): Definition {
  return {
    ...item,
    capacity: isGroup ? null : item.capacity,
    ...detailsOf(isGroup, decodeLabels(labels === '' ? [] : labels.split('\n'))),
    ...(bookable === '1' ? { bookable: true } : {}),
    ...(afterUse === 'dirty' ? { afterUse } : {}),
    ...attributesOf(
      own === '' ? attributes : decodeAttributes(own),
      sets === '' ? slotAttributes : sets.split('\n').map(decodeAttributes),
    ),
  };
}

/**
 * Time for which the names to be deleted are closed to reservations while the database deletes them, and a tenant to
 * bookings while it removes slots that could be booked, in ms.
 */
export const CLOSING_MS = 10_000;

export interface Deleted extends Planned {
  /** Ancestors first. */
  readonly names: string[];
}

/**
 * @param cascade whether to delete its subtree too
 * @throws HoldfastError unregistered; refused, if the resource has children and `cascade` is false, or if a resource to
 * be deleted is held; unauthenticated, forbidden, unavailable; LimitError; StaleError
 */
export async function deleteDefinition(
  engine: Engine,
  credential: Credential,
  name: string,
  cascade: boolean,
  { phase, plan, as }: Step,
): Promise<Deleted> {
  const { result, quota } = await callCharged(engine, 'delete', as(credential), () => [
    phase,
    plan,
    name,
    cascade ? 1 : 0,
    CLOSING_MS,
  ]);
  const [before, keyLabel, until, ...names] = result;
  const planned = { version: toInteger(before), keyLabel: toText(keyLabel), quota, closedUntil: toText(until) };
  return { ...planned, names: names.map(toText) };
}
