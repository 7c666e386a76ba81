/** Describes who is in the way: the holders, until when and why, and who is next. */
import type { CheckResult, Reason } from '../types.ts';
import { ago, left } from './moments.ts';

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
function groupText(group: Group, wanted: string, kind: Reason['kind']): string {
  const [{ requester, since, until, note }] = group;
  const what = whatOf(group, wanted);
  if (kind === 'BOOKING') return `${requester} has booked ${what} from ${since} to ${until}${noteOf(note)}`;
  const isAround = requester === process.env.HOLDFAST_RUN;
  const hint = isAround ? '; that is the `holdfast run` around this command' : '';
  if (since === null) return `${requester} holds ${what}${hint}`;
  const lease = until === null ? 'it has no lease' : `its lease ends in ${left(until)}`;
  return `${requester} has held ${what} for ${ago(since)}${noteOf(note)}; ${lease}${hint}`;
}

/** A sentence for each of the first reservations, and for the slots of the others; without full stops. */
function holderTexts({ kind, holders, more }: Reason, wanted: string, max: number): string[] {
  const groups = byReservation(holders);
  const others = groups.slice(max).reduce((sum, group) => sum + group.length, more);
  const texts = groups.slice(0, max).map((group) => groupText(group, wanted, kind));
  return others === 0 ? texts : [...texts, `${others} more ${others === 1 ? 'slot is' : 'slots are'} held`];
}

/**
 * Sentences without the last full stop; '' if nobody holds it.
 * @param wanted what `it` means
 */
const holdersText = (reason: Reason, wanted: string): string =>
  holderTexts(reason, wanted, Number.POSITIVE_INFINITY).join('. ');

/** `Next is bob (nightly build), who has waited for 22s; 1 more waits`; '' if nobody waits */
function nextText({ next }: Reason, waiting: number): string {
  const [first] = next;
  if (first === undefined) return '';
  const others = Math.max(waiting, next.length) - 1;
  const more = others === 0 ? '' : `; ${others} more ${others === 1 ? 'waits' : 'wait'}`;
  return `Next is ${first.requester}${noteOf(first.note)}, who has waited for ${ago(first.since)}${more}`;
}

const IS_NOT_READY = 'is out of service or needs cleaning';

/** `api is not free: env above it is full` */
function causeText(resource: string, { kind, resource: taken, holders }: Reason): string {
  const isHeld = holders.length > 0;
  const causes = {
    SLOTS: isHeld ? '' : 'its slots are out of service or need cleaning',
    ANCESTOR: `${taken} above it ${isHeld ? 'is full' : IS_NOT_READY}`,
    BOOKING: 'it is booked',
    BLOCKER: `it needs ${taken}${isHeld ? '' : `, which ${IS_NOT_READY}`}`,
    QUEUE: 'it is kept for those who wait',
  };
  return `${resource} is not free${causes[kind] === '' ? '' : `: ${causes[kind]}`}`;
}

/**
 * Who or what is in the way, for those who wait: `ann has held it for 4m`, `it is out of service or needs cleaning`.
 * Without the last full stop; '' if nothing is known.
 */
export function inTheWayText(reason: Reason): string {
  const { kind, resource, holders } = reason;
  if (holders.length > 0) return holdersText(reason, resource);
  return kind === 'QUEUE' ? '' : `${resource} ${IS_NOT_READY}`;
}

const filled = (texts: readonly string[]) => texts.filter((text) => text !== '');

/** Of the sentences about holders: what `it` means. */
const wantedOf = ({ kind, resource }: Reason) => (kind === 'SLOTS' ? resource : '');

/** `phone1 is out of service: display dark`; '' if its slot is ready, or somebody holds it */
export function notReadyText({ resource, condition, conditionReason, requester }: CheckResult): string {
  if (condition === undefined || requester !== null) return '';
  const why = conditionReason === undefined ? '' : `: ${conditionReason}`;
  return `${resource} ${condition === 'out' ? 'is out of service' : 'needs cleaning'}${why}`;
}

/** `printer is not free: ann has held it for 4m (nightly build); its lease ends in 42s`; without the last full stop */
export function notFreeText(resource: string, reason: Reason, waiting: number): string {
  const held = filled([causeText(resource, reason), holdersText(reason, wantedOf(reason))]);
  return filled([held.join(reason.kind === 'SLOTS' ? ': ' : '. '), nextText(reason, waiting)]).join('. ');
}

/** So many reservations have a line of their own: with the others, a resource has five lines. */
const MAX_HOLDERS = 2;

/** Says what is in the way of one resource, in at most five lines. */
export function whyLines(checked: CheckResult): string[] {
  const { resource, reason, waiting } = checked;
  const unready = notReadyText(checked);
  if (unready !== '' || reason === undefined) return [unready === '' ? stateText(checked) : `${unready}.`];
  const next = nextText(reason, waiting) || (waiting === 0 ? 'Nobody waits' : '');
  const holders = holderTexts(reason, wantedOf(reason), MAX_HOLDERS);
  return filled([causeText(resource, reason), ...holders, next]).map((text) => `${text}.`);
}

/** A sentence about a resource that nothing is in the way of. */
function stateText({ resource, reservable, heldByRequester }: CheckResult): string {
  if (heldByRequester === true) return `${resource} is yours.`;
  if (reservable === true) return `${resource} is free.`;
  if (reservable === null) return `${resource}: ask about fewer resources at a time.`;
  return `${resource} cannot be reserved: its name is not valid, or it is a group or is being deleted.`;
}
