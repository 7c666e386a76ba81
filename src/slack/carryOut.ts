/**
 * Carries out the commands of a person (docs/specification.md#reserving-from-slack) by the operations of the API.
 */
import type { z } from 'zod';
import { CheckBody } from '../contract/check.ts';
import type { Rules } from '../contract/fields.ts';
import { RenewBody } from '../contract/renewals.ts';
import { ReserveBody, type ReserveResult, UnreserveBody } from '../contract/reservations.ts';
import { CancelBody } from '../contract/waiting.ts';
import { HoldfastError } from '../domain/errors.ts';
import { leafOf } from '../domain/names.ts';
import { suggestedLease } from '../domain/tenants.ts';
import { MAX_CLAIM_SECONDS } from '../domain/waiting.ts';
import { active } from '../engine/reservations/active.ts';
import { type ResourceState, resourceStates } from '../engine/reservations/states.ts';
import { readTerms } from '../engine/tenant/record.ts';
import { standings } from '../engine/waiting/list.ts';
import { describeFault } from '../http/errors.ts';
import { renew, reserve, unreserve } from '../operations/reservations.ts';
import { cancel, NO_POLLING, type WaitDeps } from '../operations/waiting.ts';
import type { Command } from './command.ts';
import { type Button, type Message, message, type Part, say } from './messages.ts';
import type { Person } from './person.ts';
import { heldText, nameText, notReservedText, placeText, stateText, untilText } from './texts.ts';

export type CarryOutDeps = WaitDeps & Rules;

/** Commands that need a member. */
export type MemberCommand = Exclude<Command, { verb: 'help' | 'link' }>;
type Of<Verb extends MemberCommand['verb']> = Extract<MemberCommand, { verb: Verb }>;

/** @throws HoldfastError forbidden, refused, unavailable; LimitError */
export async function carryOut(deps: CarryOutDeps, person: Person, command: MemberCommand): Promise<Message> {
  if ('resource' in command) checked(CheckBody(deps.sizes), [{ resource: command.resource }]);
  switch (command.verb) {
    case 'reserve':
      return reserveIt(deps, person, command);
    case 'release':
      return releaseIt(deps, person, command);
    case 'extend':
      return extendIt(deps, person, command);
    case 'who':
      return showState(deps, person, command);
    case 'mine':
      return showMine(deps, person);
  }
}

/** @throws HoldfastError refused */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw new HoldfastError('refused', describeFault(error));
  return data;
}

/** @throws HoldfastError refused */
function refuseLong({ sizes }: CarryOutDeps, ttlSeconds: number): void {
  if (ttlSeconds > sizes.ttlSeconds) throw new HoldfastError('refused', 'the time is too long');
}

const extendButton = (resource: string): Button => ({ text: 'Extend by 1 h', command: { verb: 'extend', resource } });
const releaseButton = (resource: string): Button => ({ text: 'Release', command: { verb: 'release', resource } });
const leaveButton = (resource: string): Button => ({ text: 'Leave the queue', command: { verb: 'release', resource } });
const reserveButton = (text: string, resource: string): Button => ({
  text,
  command: { verb: 'reserve', resource },
  style: 'primary',
});
const holderButtons = (resource: string) => [extendButton(resource), releaseButton(resource)];

async function reserveIt(
  deps: CarryOutDeps,
  { credential, requester }: Person,
  { resource, seconds, note }: Of<'reserve'>,
): Promise<Message> {
  const ttlSeconds = seconds ?? suggestedLease(await readTerms(deps.engine, credential));
  refuseLong(deps, ttlSeconds);
  const wait = { waitSeconds: deps.sizes.waitSeconds, claimSeconds: MAX_CLAIM_SECONDS };
  const item = { resource, requester, ttlSeconds, ...wait, ...(note !== undefined && { note }) };
  const { result } = await reserve(deps, credential, checked(ReserveBody(deps.sizes), [item]), NO_POLLING);
  return say(...saidOf(result[0]));
}

function saidOf(result: ReserveResult | undefined): [string, ...Button[]] {
  if (result === undefined) throw new TypeError('a reserve of one item has one result');
  const { resource, status, expiresAt, waiting } = result;
  const until = untilText(expiresAt);
  switch (status) {
    case 'ACQUIRED':
      return [`You have ${nameText(resource)} ${until}.`, ...holderButtons(resource)];
    case 'ALREADY_HAD':
      return [`You have ${nameText(resource)} already, ${until}.`, ...holderButtons(resource)];
    case 'WAITING':
      return [`${nameText(resource)} is in use. ${placeText(waiting?.ahead ?? 0)}`, leaveButton(resource)];
    default:
      return [notReservedText(result)];
  }
}

const NOT_YOURS: Readonly<Record<string, string>> = {
  NOT_RESERVED: 'Nobody holds it.',
  DOESNT_OWN_RESERVATION: 'Somebody else holds it.',
};

const names = (resources: readonly string[], resource: string) =>
  resources.some((one) => one === resource || leafOf(one) === leafOf(resource));

async function releaseIt(
  deps: CarryOutDeps,
  { credential, requester }: Person,
  { resource }: Of<'release'>,
): Promise<Message> {
  const own = await standings(deps.engine, credential, requester);
  const waiting = own.find(({ resources }) => names(resources, resource));
  if (waiting !== undefined) {
    const [first = resource] = waiting.resources;
    const { result } = await cancel(
      deps,
      credential,
      checked(CancelBody(deps.sizes), [{ resource: first, requester }]),
    );
    if (result[0]?.status === 'CANCELLED') return say(`You no longer wait for ${nameText(resource)}.`);
  }
  const items = checked(UnreserveBody(deps.sizes), [{ resource, requester }]);
  const { result } = await unreserve(deps, credential, items);
  const status = result[0]?.status ?? '';
  if (status === 'RELINQUISHED') return say(`${nameText(resource)} is released.`);
  return say(`${nameText(resource)} was not released. ${NOT_YOURS[status] ?? ''}`);
}

const HOUR_S = 3600;

async function extendIt(
  deps: CarryOutDeps,
  { credential, requester }: Person,
  { resource, seconds = HOUR_S }: Of<'extend'>,
): Promise<Message> {
  const [state] = await resourceStates(deps.engine, credential, [resource], { slots: 1, requesters: [requester] });
  const holds = (state?.slots ?? []).flatMap(({ hold }) => (hold?.holder === requester ? [hold] : []));
  const ends = holds.flatMap(({ until }) => (until === null ? [] : [Date.parse(until)]));
  if (holds.length > 0 && ends.length === 0) return say(`You have ${nameText(resource)} without an end.`);
  const leftS = Math.max(0, Math.ceil((Math.max(0, ...ends) - Date.now()) / 1000));
  refuseLong(deps, leftS + seconds);
  const item = { resource, requester, ttlSeconds: leftS + seconds };
  const { result } = await renew(deps, credential, checked(RenewBody(deps.sizes), [item]));
  const { status = '', expiresAt = null, bookedFrom } = result[0] ?? {};
  if (status === 'RENEWED')
    return say(`You have ${nameText(resource)} ${untilText(expiresAt)}.`, ...holderButtons(resource));
  const why =
    bookedFrom === undefined
      ? NOT_YOURS[status]
      : `You can have it ${untilText(bookedFrom)} at most: then it is booked.`;
  return say(`${nameText(resource)} was not extended. ${why ?? ''}`);
}

/** Slots that are read of a pool. */
const SLOTS = 8;

async function showState(
  { engine }: CarryOutDeps,
  { credential, requester }: Person,
  { resource }: Of<'who'>,
): Promise<Message> {
  const [state] = await resourceStates(engine, credential, [resource], { slots: SLOTS, requesters: [requester] });
  if (state === undefined) throw new TypeError('one name has one state');
  return say(stateText(state), ...buttonsOf(state, requester));
}

function buttonsOf({ name, capacity, free, slots, place, fullAncestor, blockedBy }: ResourceState, requester: string) {
  if (capacity === null) return [];
  const own = slots.find(({ hold }) => hold?.kind === 'own' && hold.holder === requester)?.hold;
  if (own?.isUnclaimed) return [reserveButton('Take it', own.resource), leaveButton(own.resource)];
  if (own) return holderButtons(own.resource);
  if (place !== null) return [leaveButton(name)];
  const isFree = free > 0 && fullAncestor === null && blockedBy === null;
  return [reserveButton(isFree ? 'Reserve' : 'Join the queue', name)];
}

/** Rows of each list: a message has room for 25 parts. */
const MAX_ROWS = 10;

async function showMine({ engine }: CarryOutDeps, { credential, requester }: Person): Promise<Message> {
  const held: Part[] = [];
  for await (const { rows } of active(engine, credential, { requester })) {
    for (const one of rows)
      if (one.claimBy === null) held.push({ text: heldText(one), buttons: holderButtons(one.resource) });
    if (held.length > MAX_ROWS) break;
  }
  const waits = (await standings(engine, credential, requester)).map(
    ({ isGranted, ahead, waitsFor, until, resources }) => {
      const [resource = waitsFor] = resources;
      return isGranted
        ? {
            text: `${nameText(resource)}: it is your turn. Take it ${untilText(until)}.`,
            buttons: [reserveButton('Take it', resource), leaveButton(resource)],
          }
        : { text: `${nameText(resource)}: ${placeText(ahead)}`, buttons: [leaveButton(resource)] };
    },
  );
  if (held.length + waits.length === 0) return say('You have nothing, and wait for nothing.');
  return message(...cut(waits), ...cut(held));
}

const cut = (parts: readonly Part[]): readonly Part[] =>
  parts.length > MAX_ROWS ? [...parts.slice(0, MAX_ROWS), { text: 'The dashboard shows the rest.' }] : parts;
