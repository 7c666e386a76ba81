/**
 * Words for times and holders, for models. A model has no clock: each time comes with the time that is left.
 */
import { requesterName } from '../contract/fields.ts';
import type { Reason } from '../contract/reservationFields.ts';
import { PATH_DELIMITER } from '../domain/names.ts';

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** `90 s`, `10 min`, `2 h`: at most 10 % off. */
export function span(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  const [unit, length] = UNITS.find(([, one]) => rounded >= 2 * one || rounded === one) ?? ['s', 1];
  return `${Math.round(rounded / length)} ${unit}`;
}

/** `2026-01-31T12:00:30.000Z (30 s from now)` */
export const timeText = (time: string): string => `${time} (${span((Date.parse(time) - Date.now()) / 1000)} from now)`;

/** `until 2026-01-31T12:00:30.000Z (30 s from now)` */
export const untilText = (time: string | null): string => (time === null ? 'with no end' : `until ${timeText(time)}`);

/** A text with a full stop, unless it has its end already. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export interface Holder {
  readonly requester: string;
  readonly expiresAt: string | null;
  readonly note?: string | null | undefined;
  /** Null: its reservation is not known, nor whether that has an end. */
  readonly since?: string | null | undefined;
}

/** `held by "ann" until … (30 s from now), note "nightly build"` */
export function holderText({ requester, expiresAt, note, since }: Holder): string {
  const isKnown = expiresAt !== null || since !== null;
  return `held by "${requester}"${isKnown ? ` ${untilText(expiresAt)}` : ''}${noteText(note)}`;
}

/** `"env" above it is full: "env_0" is held by "ann" until …, note "load test"; 3 more slots are held` */
export function reasonText({ kind, resource, holders, more, next }: Reason): string {
  const [first] = next;
  if (kind === 'QUEUE')
    return `it is kept for ${first === undefined ? 'others' : quoted(first.requester)}, who waits for it`;
  if (kind === 'BOOKING')
    return holders
      .map(
        ({ slot, requester, since, until }) => `${quoted(slot)} is booked by "${requester}" from ${since} to ${until}`,
      )
      .join('; ');
  const texts = holders.map(({ slot, until, ...holder }) => {
    const along = isAlong(slot, holder.resource) ? `, taken along with ${quoted(holder.resource ?? '')}` : '';
    return `${quoted(slot)} is ${holderText({ ...holder, expiresAt: until })}${along}`;
  });
  if (more > 0) texts.push(`${more} more ${more === 1 ? 'slot is' : 'slots are'} held`);
  const cause = {
    SLOTS: '',
    ANCESTOR: `${quoted(resource)} above it is full: `,
    BLOCKER: `it also needs ${quoted(resource)}: `,
  };
  return `${cause[kind]}${texts.join('; ')}`;
}

/** Returns true if a slot is held because of another resource, which somebody reserved. */
function isAlong(slot: string, resource: string | null): boolean {
  const own = resource?.split(PATH_DELIMITER).at(-1) ?? slot;
  return slot !== own && !slot.startsWith(`${own}_`);
}

export const quoted = (name: string) => JSON.stringify(name);

export const noteText = (note: string | null | undefined): string => (note ? `, note ${JSON.stringify(note)}` : '');

/** One line for each row, below a first one that counts them. */
export const lines = (first: string, rows: readonly string[]): string =>
  [first, ...rows.map((row) => `- ${row}`)].join('\n');

/** The argument of tools that act for somebody. */
export const requester = requesterName.optional().meta({
  description:
    'Who you are. Leave it out if you do not know: the service then uses the name of your session, or suggests one. Send the same requester in all your calls. A subagent sends one of its own.',
  example: 'claude-code-7kq2mw9dfx',
});
