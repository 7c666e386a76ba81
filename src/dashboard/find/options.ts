/**
 * The entries of the palette for a text: resources, people, actions and pages, each as a link.
 */
import type { Terms } from '../../domain/tenants.ts';
import type { ResourceState } from '../../engine/reservations/states.ts';
import { isOwn } from '../../operations/permissions.ts';
import { leaseChoices } from '../actions/lease.ts';
import { BOARD } from '../board/query.ts';
import { bookPath } from '../bookings/paths.ts';
import { resourcePath } from '../components/resourceTree.tsx';
import type { DotShape } from '../components/stateMark.tsx';
import type { Viewer } from '../env.ts';
import type { ICONS } from '../icons.ts';
import { actionPath, historyPath } from '../paths.ts';
import { PLACES } from '../places.ts';
import { may } from '../viewer.ts';
import { conditionPhrase, conditionText, countTexts } from '../words/conditionWords.ts';
import { number } from '../words/numbers.ts';
import type { FoundResource, Holding } from './findResources.ts';

export interface Option {
  readonly to: string;
  readonly text: string;
  readonly icon: keyof typeof ICONS | DotShape;
  /** Beside the text, with a time in its midst. */
  readonly meta?: string;
  readonly untilMs?: number | undefined;
  readonly rest?: string;
}

export interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

/** Resources that actions are offered for. */
const MAX_ACTED_ON = 3;
const MAX_PAGES = 6;

/** Words in front of a name that say what to do with it. */
const VERBS = /^(?:reserve|book|extend|open|history of|take|join(?: the)?(?: queue)?(?: for)?)\s+/i;

/** The name that a text is about: what follows a verb. */
export const termOf = (q: string): string => q.trim().replace(VERBS, '');

export interface Found {
  readonly resources: readonly FoundResource[];
  readonly people: readonly Holding[];
}

export function optionsOf(viewer: Viewer, q: string, found: Found, terms: Terms, zone: string): OptionGroup[] {
  const term = termOf(q).toLowerCase();
  const groups = [
    { title: 'Resources', options: found.resources.map((state) => resourceOption(viewer, state)) },
    { title: 'People', options: found.people.map(personOption) },
    { title: 'Actions', options: actionOptions(viewer, term, found.resources, terms, zone) },
    { title: 'Pages', options: pageOptions(viewer, q, term, found.resources) },
  ];
  return groups.filter(({ options }) => options.length > 0);
}

/** A requester as people call it: without the prefix of those who have signed in. */
const nameOf = (requester: string) => requester.replace(/^person:/, '');

const ownHold = (user: Viewer['user'], { slots }: ResourceState) =>
  slots.find(({ hold }) => hold?.kind === 'own' && isOwn(user, hold.holder))?.hold;

const isShut = ({ fullAncestor, blockedBy }: ResourceState) => fullAncestor !== null || blockedBy !== null;

export const isFree = (state: ResourceState): boolean => state.capacity !== null && state.free > 0 && !isShut(state);

function resourceOption(viewer: Viewer, state: ResourceState): Option {
  const { name, waiting } = state;
  const rest = waiting > 0 ? ` · ${number(waiting)} waiting` : '';
  return { to: resourcePath(name), text: name, rest, ...stateOption(viewer.user, state) };
}

/** The state of a resource as a shape and a text. */
export function stateOption(user: Viewer['user'], state: ResourceState): Pick<Option, 'icon' | 'meta' | 'untilMs'> {
  const { capacity, free, held, fullAncestor, fullBecause, blockedBy } = state;
  const own = ownHold(user, state);
  if (own) return { icon: 'mine', meta: own.isUnclaimed ? 'your turn' : 'yours', ...endOf(own.until) };
  if (capacity === null) return { icon: 'group', meta: 'group' };
  if (free === 0 && (held === 0 || capacity > 1)) return fullOption(state, capacity);
  if (free === 0) {
    const hold = state.slots[0]?.hold;
    return { icon: 'busy', meta: hold?.kind === 'own' ? nameOf(hold.holder) : 'in use', ...endOf(hold?.until) };
  }
  const inTheWay = fullAncestor ?? blockedBy?.name;
  if (inTheWay !== undefined) {
    const condition = fullAncestor === null ? (blockedBy?.condition ?? null) : fullBecause;
    const why = condition === null ? 'is in use' : conditionPhrase(condition);
    return { icon: 'shut', meta: `not available: ${inTheWay} ${why}`, ...endOf(blockedBy?.hold?.until) };
  }
  return { icon: 'free', meta: capacity > 1 ? freeText(state, capacity) : 'free' };
}

const endOf = (until: string | null | undefined) => (until == null ? {} : { untilMs: Date.parse(until) });

/** A resource that nobody holds and nobody gets, or a pool without a free slot. */
function fullOption(state: ResourceState, capacity: number): Pick<Option, 'icon' | 'meta'> {
  const { held, notReady, outOfService } = state;
  const icon = held > 0 ? 'busy' : outOfService > 0 ? 'out' : 'dirty';
  const [one] = notReady;
  if (capacity === 1 && one) return { icon, meta: conditionText(one).toLowerCase() };
  return { icon, meta: freeText(state, capacity) };
}

const freeText = (state: ResourceState, capacity: number): string =>
  [`${number(state.free)} of ${number(capacity)} free`, ...countTexts(state)].join(' · ');

const personOption = ({ requester, count }: Holding): Option => ({
  to: `${BOARD}?${new URLSearchParams({ view: 'table', q: requester })}`,
  text: nameOf(requester),
  icon: 'mine',
  meta: count === 1 ? 'has 1 thing' : `has ${number(count)} things`,
});

function actionOptions(
  viewer: Viewer,
  term: string,
  resources: readonly FoundResource[],
  terms: Terms,
  zone: string,
): Option[] {
  const options: Option[] = [];
  if (may(viewer, 'reserve')) {
    const choices = leaseChoices(terms, zone);
    const choice = choices.find(({ length }) => length === '') ?? choices.at(-1);
    const acted = resources.filter(({ capacity }) => capacity !== null).slice(0, MAX_ACTED_ON);
    for (const state of acted) {
      const { name: resource, isRegistered, capacity, outOfService } = state;
      if (ownHold(viewer.user, state))
        options.push({ icon: 'extend', text: `Extend ${resource}`, to: actionPath('extend', { resource }) });
      else if (isFree(state))
        options.push({
          icon: 'plus',
          text: `Reserve ${resource}`,
          untilMs: choice?.endMs,
          to: actionPath('reserve', { resource, ...(choice && { lease: choice.value }) }),
        });
      else
        options.push({
          icon: 'queue',
          text: `Join the queue for ${resource}`,
          to: actionPath('reserve', { resource }),
        });
      if (state.isBookable)
        options.push({ icon: 'board', text: `Book ${resource} for later`, to: bookPath({ resource }) });
      if (state === acted[0] && may(viewer, 'define') && isRegistered && outOfService < (capacity ?? 0))
        options.push({
          icon: 'out',
          text: `Take ${resource} out of service`,
          to: actionPath('condition/out', { resource }),
        });
    }
    if (term === '') options.push({ icon: 'plus', text: 'Reserve something', to: '/dashboard/reserve' });
  }
  if (may(viewer, 'define') && 'register a resource'.includes(term))
    options.push({ icon: 'resources', text: 'Register a resource', to: '/dashboard/resources/register' });
  return options;
}

function pageOptions(viewer: Viewer, q: string, term: string, [first]: readonly ResourceState[]): Option[] {
  const pages = PLACES.flatMap(({ icon, pages: ofPlace }) =>
    ofPlace.filter(({ right }) => may(viewer, right)).map(({ path, name }): Option => ({ to: path, text: name, icon })),
  ).filter(({ text }) => text.toLowerCase().includes(term));
  const about: Option[] =
    first === undefined
      ? []
      : [{ icon: 'activity', text: `History of ${first.name}`, to: historyPath({ resource: first.name }) }];
  if (term === '') return pages;
  const search = new URLSearchParams({ q: termOf(q) });
  return [
    ...about,
    ...pages.slice(0, MAX_PAGES),
    { icon: 'search', text: `Search the Board for “${termOf(q)}”`, to: `/dashboard?${search}` },
  ];
}
