/**
 * Pushes personal notices to devices (docs/specification.md#push), by the push services that their browsers name.
 */
import type { Rules } from '../../outgoing/addresses.ts';
import { type Notice, wordsOf } from '../personal.ts';
import { postTo } from '../posting.ts';
import type { Outcome } from '../sending.ts';
import { PLAIN } from '../words.ts';
import { encrypt, PushTarget } from './encrypt.ts';
import type { Vapid } from './vapid.ts';

export interface PushDeps {
  readonly vapid: Vapid;
  /** The addresses that are allowed. */
  readonly rules: Rules;
  /** Decrypts where a device's pushes go. */
  readonly open: (sealed: string) => Promise<string>;
}

/** Time that a push service may take, in ms. They only take the message. */
const ATTEMPT_MS = 5000;

/**
 * Sends a notice to a device. Its push service keeps it for as long as it is of use.
 * @param sealed where it goes, encrypted
 * @param isLast true if more messages of this hour are dropped
 * @throws HoldfastError if it was encrypted with another KEY_SECRET
 */
export async function toDevice(
  { vapid, rules, open }: PushDeps,
  sealed: string,
  notice: Notice,
  isLast: boolean,
): Promise<Outcome> {
  const target = PushTarget.parse(JSON.parse(await open(sealed)));
  const ttl = Math.max(0, Math.ceil((notice.untilMs - Date.now()) / 1000));
  const headers = {
    Authorization: await vapid.authorization(target.endpoint),
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: String(ttl),
    // The phone must not sleep on it: it is of use for minutes.
    Urgency: 'high',
  };
  const body = encrypt(textOf(notice, isLast), target);
  return postTo(target.endpoint, { headers, body, rules, signal: AbortSignal.timeout(ATTEMPT_MS) });
}

/** What the page's worker shows (dashboard/assets/worker.js): as much as the e-mail has. */
function textOf(notice: Notice, isLast: boolean): string {
  const { tenant, resource, claimBy, expiresAt } = notice;
  const { title, text } = wordsOf(notice, PLAIN, isLast);
  // A later one about the same takes its place.
  const tag = [tenant, notice.notice, resource, claimBy ?? expiresAt].join(' ');
  return JSON.stringify({ title: `[${tenant}] ${title}`, text, tag, tenant, notice: notice.notice, resource });
}
