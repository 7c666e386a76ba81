/**
 * Sends batches of subscriptions by e-mail, to addresses of members (docs/specification.md#e-mail).
 */
import type { OpenedSubscription } from '../domain/notices.ts';
import type { RedisClient } from '../redis/client.ts';
import { mailedKey } from '../redis/keys.ts';
import { send } from '../redis/send.ts';
import { addressesOfMembers } from '../store/memberAddresses.ts';
import type { Store } from '../store/records.ts';
import type { Mailer, Message } from './mail/mailer.ts';
import { MailRefused } from './mail/refused.ts';
import type { Batch, Outcome, Outlet } from './sending.ts';
import { PLAIN, sentenceOf, titleOf } from './words.ts';

interface EmailDeps {
  readonly mailer: Mailer;
  readonly redis: RedisClient;
  readonly store: Pick<Store, 'database'>;
}

/** Longer than a batch is tried. */
const KEPT_MS = 4 * 24 * 3_600_000;

const SENT: Outcome = { status: 250, fault: null };

export const emailOutlet = (deps: EmailDeps): Outlet => ({
  everyMs: 1000,
  maxEvents: 100,
  send: async (subscription, batch) => {
    const { tenant, target } = subscription;
    if (!('addresses' in target)) throw new TypeError('e-mail has addresses');
    const addresses = await deps.store.database
      .of(tenant)
      .run((db) => addressesOfMembers(db, tenant, target.addresses));
    if (addresses.length === 0) return { status: 410, fault: 'None of its addresses belongs to a member any more.' };
    const message = messageOf(subscription, batch);
    const results = await Promise.all(addresses.map((address) => sendOnce(deps, batch.webhookId, address, message)));
    return outcomeOf(results);
  },
});

/**
 * Sends a batch to one of its addresses, unless an attempt before has.
 * @returns null, or why the mail server refused
 */
async function sendOnce(
  { redis, mailer }: EmailDeps,
  webhookId: string,
  address: string,
  message: Message,
): Promise<MailRefused | null> {
  const key = mailedKey(webhookId);
  if ((await send(() => redis.sismember(key, address))) === 1) return null;
  try {
    await mailer.send(address, message);
  } catch (error) {
    if (error instanceof MailRefused) return error;
    throw error;
  }
  await send(() => redis.multi().sadd(key, address).pexpire(key, KEPT_MS).exec());
  return null;
}

/** An address that the server will never take does not keep the others from the next batch. */
function outcomeOf(results: readonly (MailRefused | null)[]): Outcome {
  const refused = results.filter((result) => result !== null);
  const worst = refused.find(({ isFinal }) => !isFinal) ?? (refused.length === results.length ? refused[0] : undefined);
  return worst === undefined ? SENT : { status: worst.status, fault: worst.message };
}

function messageOf(
  { tenant, id, label }: Pick<OpenedSubscription, 'tenant' | 'id' | 'label'>,
  { events }: Batch,
): Message {
  const lines = events.map((event) => sentenceOf(event, PLAIN));
  const [only = ''] = lines;
  return {
    source: { tenant, subscription: id },
    subject: `[${tenant}] ${lines.length === 1 ? only : titleOf(events)}`,
    lines,
    link: { label: 'Activity', path: '/dashboard/activity' },
    reason: `${tenant} sends you this by its subscription "${PLAIN.text(label)}".`,
    untilMs: null,
  };
}
