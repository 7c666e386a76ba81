/**
 * Encrypts and decrypts the targets and secrets of subscriptions (docs/specification.md#subscriptions).
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { OpenedSubscription, Target } from '../domain/notices.ts';
import type { Sealer } from '../identity/credentials.ts';
import type { SealedTarget, SubscriptionRow } from '../store/subscriptions.ts';

const Stored = z.union([
  z.object({ url: z.string() }),
  z.object({ channel: z.string() }),
  z.object({ addresses: z.array(z.string()) }),
]);

/** Bytes of a secret, as Standard Webhooks recommends. */
const SECRET_BYTES = 32;

/** Makes the secret of a webhook. */
export const makeWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

export const sealTarget = async (sealer: Sealer, target: Target): Promise<SealedTarget> => ({
  target: await sealer.seal(JSON.stringify(target)),
  host: 'url' in target ? new URL(target.url).host : null,
});

/** Decrypts a subscription; null: a part was encrypted with another KEY_SECRET */
export async function openSubscription(
  sealer: Sealer,
  tenant: string,
  row: SubscriptionRow,
): Promise<OpenedSubscription | null> {
  const { id, kind, label, types, prefix, secret, previousSecret } = row;
  const secrets: string[] = [];
  for (const sealed of [secret, previousSecret]) {
    const opened = sealed === null ? null : await openOrNull(sealer, sealed);
    if (opened !== null) secrets.push(opened);
    // Without the current one, receivers would refuse what the one before signs.
    else if (sealed === secret && sealed !== null) return null;
  }
  const target = await openOrNull(sealer, row.target);
  if (target === null) return null;
  return { id, tenant, kind, label, types, prefix, target: Stored.parse(JSON.parse(target)), secrets };
}

const openOrNull = (sealer: Sealer, sealed: string): Promise<string | null> =>
  sealer.open(sealed).catch((error: unknown) => {
    if (error instanceof HoldfastError) return null;
    throw error;
  });
