/** Describes who is in the way: the holders, until when and why, and who is next. */
import type { CheckResult, Reason } from '../types.ts';
import { ago, left } from './times.ts';

type Holder = Reason['holders'][number];
/** The slots of one reservation. */
type Group = readonly [Holder, ...Holder[]];

const MAX_SLOTS = 3;

/** `a`, `a and b`, `a, b and c` */
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const noteOf = (note: string | null) => (note === null ? '' : ` (${note})`);

function byReservation(holders: readonly Holder[]): Group[] {
  const groups = new Map<string, [Holder, ...Holder[]]>();
  for (const holder of holders) {
    const key = JSON.stringify([holder.requester, holder.since, holder.resource]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [holder]);
    else group.push(holder);
  }
  return [...groups.values()];
}

/** `it`, `phones_0 and phones_1`, or `room, which takes it along,` */
function whatOf([first, ...others]: Group, wanted: string): string {
  const slots = [first, ...others].map(({ slot }) => slot);
  const more = slots.length - MAX_SLOTS;
  const them = listed(more > 0 ? [...slots.slice(0, MAX_SLOTS), `${more} more`] : slots);
  const what = them === wanted ? 'it' : them;
  const own = first.resource?.split('>').at(-1) ?? first.slot;
  const isAlong = first.slot !== own && !first.slot.startsWith(`${own}_`);
  return isAlong ? `${first.resource}, which takes ${what} along,` : what;
}

/** `ann has held it for 4m (nightly build); its lease ends in 42s` */
function groupText(group: Group, wanted: string): string {
  const [{ requester, since, until, note }] = group;
  const what = whatOf(group, wanted);
  const isAround = requester === process.env.HOLDFAST_RUN;
  const hint = isAround ? '; that is the `holdfast run` around this command' : '';
  if (since === null) return `${requester} holds ${what}${hint}`;
  const lease = until === null ? 'it has no lease' : `its lease ends in ${left(until)}`;
  return `${requester} has held ${what} for ${ago(since)}${noteOf(note)}; ${lease}${hint}`;
}

/**
 * Sentences without the last full stop; '' if nobody holds it.
 * @param wanted what `it` means
 */
export function holdersText({ holders, more }: Reason, wanted: string): string {
  const texts = byReservation(holders).map((group) => groupText(group, wanted));
  if (more > 0) texts.push(`${more} more ${more === 1 ? 'slot is' : 'slots are'} held`);
  return texts.join('. ');
}

/** `Next is bob (nightly build), who has waited for 22s; 1 more waits`; '' if nobody waits */
function nextText({ next }: Reason, waiting: number): string {
  const [first] = next;
  if (first === undefined) return '';
  const others = Math.max(waiting, next.length) - 1;
  const more = others === 0 ? '' : `; ${others} more ${others === 1 ? 'waits' : 'wait'}`;
  return `Next is ${first.requester}${noteOf(first.note)}, who has waited for ${ago(first.since)}${more}`;
}

const CAUSES = {
  SLOTS: () => '',
  ANCESTOR: (name: string) => `${name} above it is full`,
  BLOCKER: (name: string) => `it needs ${name}`,
  QUEUE: () => 'it is kept for those who wait',
} as const;

/** `phone1 is out of service: display dark`; '' if its slot is ready, or somebody holds it */
export function notReadyText({ resource, condition, conditionReason, requester }: CheckResult): string {
  if (condition === undefined || requester !== null) return '';
  const why = conditionReason === undefined ? '' : `: ${conditionReason}`;
  return `${resource} is ${condition === 'out' ? 'out of service' : 'being cleaned'}${why}`;
}

/** `printer is not free: ann has held it for 4m (nightly build); its lease ends in 42s`; without the last full stop */
export function notFreeText(resource: string, reason: Reason, waiting: number): string {
  const wanted = reason.kind === 'SLOTS' ? reason.resource : '';
  const holders = holdersText(reason, wanted) || 'its slots are out of service or being cleaned';
  const sentences = [CAUSES[reason.kind](reason.resource), holders, nextText(reason, waiting)];
  return `${resource} is not free: ${sentences.filter((text) => text !== '').join('. ')}`;
}

/** Sentences about one resource. */
export function whyText(checked: CheckResult): string {
  const { resource, reservable, heldByRequester, reason, waiting } = checked;
  const unready = notReadyText(checked);
  if (unready !== '') return `${unready}.`;
  if (reason !== undefined) {
    const nobody = waiting === 0 && reason.next.length === 0 ? ' Nobody waits.' : '';
    return `${notFreeText(resource, reason, waiting)}.${nobody}`;
  }
  if (heldByRequester === true) return `${resource} is yours.`;
  if (reservable === true) return `${resource} is free.`;
  if (reservable === null) return `${resource}: ask about fewer resources at a time.`;
  return `${resource} cannot be reserved: its name is not valid, or it is a group or is being deleted.`;
}
