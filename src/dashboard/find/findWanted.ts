/**
 * Finds what a person may mean who wants to reserve something: by a name, or by words that are labels, groups, or parts
 * of names.
 */
import { MAX_NAME_LENGTH } from '../../domain/maxSizes.ts';
import { nameFault } from '../../domain/names.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { groupBy } from '../board/groupBy.ts';
import { type LabNode, readLab } from '../board/lab.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { actionPath, togetherPath } from '../paths.ts';
import { definitionOf } from '../resource/careOf.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import { pathText } from '../words/labels.ts';
import { isFree, type OptionGroup, stateOption } from './options.ts';

/** Resources that a page shows, and slots of each that are read. */
const MAX_SHOWN = 20;
const SLOTS = 4;

/** The title of the part that offers the words themselves as a name. */
export const NOT_REGISTERED = 'Not registered';

/** The smallest first: what is free, before what is not; and of both, single things before slots of pools. */
const rankOf = ({ available, isShut, capacity }: LabNode): number =>
  ((available ?? 0) > 0 && !isShut ? 0 : 2) + (capacity === 1 ? 0 : 1);

/** Returns a function that says whether some words can mean a resource. */
function meantBy(q: string): (node: LabNode) => boolean {
  const parts = q.split(/[,·]/).flatMap((part) => (part.includes('=') ? [part.trim()] : part.trim().split(/\s+/)));
  const wanted = groupBy(
    parts.filter((part) => part.includes('=')),
    (part) => part.slice(0, part.indexOf('=')),
  );
  const words = parts.filter((part) => !part.includes('=')).map((word) => word.toLowerCase());
  return ({ name, group, labels: own }) => {
    const texts = [name, pathText(group), ...labelTexts(own)].map((text) => text.toLowerCase());
    return (
      [...wanted].every(([key, all]) => all.includes(`${key}=${own[key] ?? ''}`)) &&
      words.every((word) => texts.some((text) => text.includes(word)))
    );
  };
}

/**
 * @param q not empty
 * @param back where the form that reserves leads afterwards
 * @returns links to that form, by group, what is free first, and single things before pools; or, if it is a name or
 * several separated by commas, the address of the form for these
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function findWanted(
  { engine }: DashboardDeps,
  { credential, user }: Viewer,
  q: string,
  back: string,
): Promise<OptionGroup[] | string> {
  const to = (resource: string) => actionPath('reserve', { resource, back });
  const isName = nameFault(q, MAX_NAME_LENGTH) === null;
  const lab = await readLab(engine, credential);
  const registered = isName ? await definitionOf(engine, credential, q) : null;
  const isGroup = registered !== null && registered.capacity === null;
  if (lab.unregistered.includes(q) || (registered !== null && !isGroup)) return to(q);
  const nodes = lab.nodes.filter(({ capacity }) => capacity !== null);
  const several = q.split(',').map((name) => name.trim());
  if (several.length > 1 && several.every((one) => nodes.some(({ name }) => name === one)))
    return togetherPath(several, back);
  const fits = nodes.filter(meantBy(q));
  const shown = fits.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, MAX_SHOWN);
  const names = shown.map(({ name }) => name);
  const states =
    names.length === 0
      ? []
      : await resourceStates(engine, credential, names, { slots: SLOTS, requesters: [requesterOf(user)] });
  const options = states
    .map((state, i) => ({ state, group: shown[i]?.group ?? '', bookedFrom: shown[i]?.bookedFrom }))
    .sort((one, other) => Number(isFree(other.state)) - Number(isFree(one.state)))
    .map(({ state, group, bookedFrom }) => ({
      group,
      option: {
        to: to(state.name),
        text: state.name,
        ...stateOption(user, state),
        ...(isFree(state) && bookedFrom !== undefined && { untilMs: Date.parse(bookedFrom) }),
      },
    }));
  const groups = [...groupBy(options, ({ group }) => group)].map(([group, all]) => ({
    title: group === '' ? 'In no group' : pathText(group),
    options: all.map(({ option }) => option),
  }));
  // Several words that fit something are no name.
  if (!isName || isGroup || (groups.length > 0 && /[\s,]/.test(q))) return groups;
  const itself = { to: to(q), text: `Hold the name “${q}” itself`, icon: 'plus' as const };
  return [...groups, { title: NOT_REGISTERED, options: [itself] }];
}
