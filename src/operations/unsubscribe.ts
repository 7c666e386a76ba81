/**
 * Ends e-mail by the token of a message, without sign-in (docs/specification.md#personal-notices). The token is
 * encrypted with the configured secret, names the address and what the message was about, and never expires.
 */
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { Choices } from '../domain/personalNotices.ts';
import type { Sealer } from '../identity/credentials.ts';
import { MailSource } from '../notices/mail/source.ts';
import { changeChoices, readChosen } from '../store/noticeChoices.ts';
import type { Store } from '../store/records.ts';

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
  return ended;
}

async function endPersonal(
  store: Store,
  tenant: string,
  userId: string,
  by: { readonly actor: string; readonly address: string },
): Promise<void> {
  const { choices } = await readChosen(store, tenant, userId);
  if (!Object.values(choices).some((channels) => channels.includes('email'))) return;
  await changeChoices(store, tenant, userId, by, (now) => withoutEmail(now.choices));
}

const withoutEmail = ({ TURN, ENDS_SOON, WANTED, TAKEN }: Choices): Choices => {
  const others = (channels: Choices['TURN']) => channels.filter((channel) => channel !== 'email');
  return { TURN: others(TURN), ENDS_SOON: others(ENDS_SOON), WANTED: others(WANTED), TAKEN: others(TAKEN) };
};
