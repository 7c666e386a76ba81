/**
 * Ends e-mail by the token of a message, without sign-in (docs/specification.md#personal-notices). The token is
 * encrypted with the configured secret, names the address and what the message was about, and never expires.
 */
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import { type Choices, NO_CHOICES } from '../domain/personalNotices.ts';
import type { Sealer } from '../identity/credentials.ts';
import { MailSource } from '../notices/mail/source.ts';
import type { Author } from '../store/audit.ts';
import { addressesOfMembers } from '../store/memberAddresses.ts';
import { changeChoices, readChosen, readRecipient } from '../store/noticeChoices.ts';
import type { Store } from '../store/records.ts';
import { findSubscription } from '../store/subscriptions.ts';
import { replaceAddresses } from '../store/unsubscriptions.ts';
import { followChoices } from './personalNotices.ts';
import { openSubscription, sealTarget } from './sealedSubscriptions.ts';

const Unsubscription = z.object({ unsubscribe: z.array(MailSource), address: z.string() });

/** What a token ends. */
export interface Unsubscription {
  readonly address: string;
  readonly sources: readonly MailSource[];
}

export interface UnsubscribeDeps {
  readonly store: Store;
  readonly sealer: Sealer;
}

/** Makes the token of a message. */
export const unsubscribeToken = (sealer: Sealer, { address, sources }: Unsubscription): Promise<string> =>
  sealer.seal(JSON.stringify({ unsubscribe: sources, address }));

/** @throws HoldfastError unknown if it is no such token, or KEY_SECRET has changed */
export async function readUnsubscribeToken({ sealer }: Pick<UnsubscribeDeps, 'sealer'>, token: string) {
  const unknown = () =>
    new HoldfastError('unknown', 'This link does not work any more. Sign in, and change what you get on My notices.');
  const text = await sealer.open(token).catch(() => {
    throw unknown();
  });
  const { data } = Unsubscription.safeParse(jsonOf(text));
  if (data === undefined) throw unknown();
  return { address: data.address, sources: data.unsubscribe } satisfies Unsubscription;
}

/** A sealed text that is no JSON is an API key. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Ends the e-mail that a token names. Costs nothing, and does nothing if it has ended already.
 * @param address the address that the request came from
 * @throws HoldfastError unknown, unavailable
 */
export async function unsubscribe(deps: UnsubscribeDeps, token: string, address: string): Promise<Unsubscription> {
  const ended = await readUnsubscribeToken(deps, token);
  const by = { actor: `person:${ended.address}`, address };
  for (const source of ended.sources)
    if ('userId' in source) await endPersonal(deps.store, source.tenant, source.userId, by);
    else await endSubscription(deps, source.tenant, source.subscription, ended.address, by);
  return ended;
}

/**
 * Returns true if an address still gets e-mail of a source, for messages that have waited.
 * @throws HoldfastError unavailable
 */
export async function isStillWanted(deps: UnsubscribeDeps, address: string, source: MailSource): Promise<boolean> {
  if ('userId' in source) {
    const recipient = await readRecipient(deps.store, source.tenant, source.userId);
    const { choices, email } = recipient ?? { choices: NO_CHOICES, email: null };
    return choices[source.notice].includes('email') && email === address;
  }
  const [row, addresses] = await readAddresses(deps, source.tenant, source.subscription);
  const members = await deps.store.database
    .of(source.tenant)
    .run((db) => addressesOfMembers(db, source.tenant, addresses));
  return (row?.enabled ?? false) && members.some((one) => isSame(one, address));
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Reads a subscription and its addresses; none if there is no such one, or they cannot be decrypted. */
async function readAddresses({ store, sealer }: UnsubscribeDeps, tenant: string, id: string) {
  const row = await findSubscription(store, tenant, id);
  const target = row && (await openSubscription(sealer, tenant, row))?.target;
  return [row, target && 'addresses' in target ? target.addresses : []] as const;
}

/** Somebody else may change the addresses at the same time. */
const MAX_TRIES = 5;

/** Takes an address out of a subscription. Without any address, the subscription is disabled. */
async function endSubscription(
  deps: UnsubscribeDeps,
  tenant: string,
  id: string,
  address: string,
  by: Author,
): Promise<void> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const [row, addresses] = await readAddresses(deps, tenant, id);
    const others = addresses.filter((one) => !isSame(one, address));
    if (row === null || others.length === addresses.length) return;
    const { target } = await sealTarget(deps.sealer, { addresses: others });
    const change = others.length === 0 ? ({ target, enabled: false } as const) : { target };
    if (await replaceAddresses(deps.store, tenant, row, change, by)) return;
  }
  throw new HoldfastError('unavailable', 'The subscription changes all the time. Repeat the call.');
}

async function endPersonal(store: Store, tenant: string, userId: string, by: Author): Promise<void> {
  const { choices } = await readChosen(store, tenant, userId);
  if (!Object.values(choices).some((channels) => channels.includes('email'))) return;
  await changeChoices(store, tenant, userId, by, (now) => withoutEmail(now.choices));
  await followChoices(store, tenant);
}

const withoutEmail = ({ TURN, BEGINS, ENDS_SOON, WANTED, TAKEN }: Choices): Choices => {
  const others = (channels: Choices['TURN']) => channels.filter((channel) => channel !== 'email');
  return {
    TURN: others(TURN),
    BEGINS: others(BEGINS),
    ENDS_SOON: others(ENDS_SOON),
    WANTED: others(WANTED),
    TAKEN: others(TAKEN),
  };
};
