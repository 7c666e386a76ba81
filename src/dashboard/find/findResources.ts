/**
 * Finds resources and requesters by a part of their names, for the palette. It looks at so many that an answer takes a
 * few milliseconds, however many the tenant has.
 */
import { MAX_NAME_LENGTH } from '../../domain/maxSizes.ts';
import { nameFault } from '../../domain/names.ts';
import type { Credential } from '../../domain/tenants.ts';
import { tree } from '../../engine/definitions/list.ts';
import type { Engine } from '../../engine/engine.ts';
import { active, unregistered } from '../../engine/reservations/active.ts';
import { type ResourceState, resourceStates } from '../../engine/reservations/states.ts';
import { labelTexts } from '../resource/registeredResources.ts';

/** Definitions, and held slots, that one search looks at: about 10 ms of an instance each. */
const MAX_LOOKED_AT = 2000;
/** Matches after which it stops looking. */
const ENOUGH = 40;
/** Results of each kind. */
const MAX_RESOURCES = 6;
const MAX_PEOPLE = 4;
/** Slots of a pool that are read. */
const SLOTS = 4;

/** Smaller is better: the name itself, then names that begin with the text, then the others. */
const rank = (name: string, wanted: string): number => {
  const text = name.toLowerCase();
  return text === wanted ? 0 : text.startsWith(wanted) ? 1 : text.includes(wanted) ? 2 : 3;
};

const best = (names: Iterable<string>, wanted: string, limit: number): string[] =>
  [...new Set(names)]
    .sort((one, other) => rank(one, wanted) - rank(other, wanted) || (one < other ? -1 : 1))
    .slice(0, limit);

/** A resource that was found. */
export interface FoundResource extends ResourceState {
  readonly isBookable: boolean;
}

/**
 * @param term part of a name or label, not empty
 * @param requesters that the person is
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function findResources(
  engine: Engine,
  credential: Credential,
  term: string,
  requesters: readonly string[],
): Promise<FoundResource[]> {
  const wanted = term.toLowerCase();
  const found: string[] = [];
  const bookable = new Set<string>();
  let lookedAt = 0;
  for await (const page of tree(engine, credential)) {
    for (const { name, labels, isBookable } of page.rows) {
      if (isBookable) bookable.add(name);
      if ([name, ...labelTexts(labels)].some((text) => text.toLowerCase().includes(wanted))) found.push(name);
    }
    lookedAt += page.rows.length;
    if (found.length >= ENOUGH || lookedAt >= MAX_LOOKED_AT) break;
  }
  const { names } = await unregistered(engine, credential, '0');
  found.push(...names.filter((name) => name.toLowerCase().includes(wanted)));
  // A whole name is found even if it is beyond what was looked at.
  const exact = nameFault(term, MAX_NAME_LENGTH) === null && !found.includes(term) ? [term] : [];
  const shown = [...best(found, wanted, MAX_RESOURCES), ...exact];
  const states =
    shown.length === 0 ? [] : await resourceStates(engine, credential, shown, { slots: SLOTS, requesters });
  return states
    .filter(({ isRegistered, held, name }) => isRegistered || held > 0 || found.includes(name))
    .map((state) => ({ ...state, isBookable: bookable.has(state.name) }));
}

/** A requester that holds something. */
export interface Holding {
  readonly requester: string;
  readonly count: number;
}

/**
 * @param term part of a requester's name, not empty
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function findPeople(engine: Engine, credential: Credential, term: string): Promise<Holding[]> {
  const wanted = term.toLowerCase();
  const counts = new Map<string, number>();
  let lookedAt = 0;
  for await (const page of active(engine, credential)) {
    for (const { requester } of page.rows)
      if (requester.toLowerCase().includes(wanted)) counts.set(requester, (counts.get(requester) ?? 0) + 1);
    lookedAt += page.rows.length;
    if (lookedAt >= MAX_LOOKED_AT) break;
  }
  return best(counts.keys(), wanted, MAX_PEOPLE).map((requester) => ({ requester, count: counts.get(requester) ?? 0 }));
}
