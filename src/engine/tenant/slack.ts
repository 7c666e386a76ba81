/**
 * What Redis keeps of requests from Slack, each for some minutes: signatures that have counted, and links by which
 * people tie an account in Slack to themselves (docs/specification.md#reserving-from-slack).
 */
import { z } from 'zod';
import { slackLinkKey, slackSignatureKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../engine.ts';

type Redis = Pick<Engine, 'redis'>;

/** Longer than a signature is young enough, before and after the time in it. */
const SIGNATURE_MS = 600_000;
const LINK_MS = 600_000;

/**
 * Notes a signature.
 * @returns false if it has counted before
 * @throws HoldfastError unavailable
 */
export const countSignature = async ({ redis }: Redis, tenant: string, signature: string): Promise<boolean> =>
  (await send(() => redis.set(slackSignatureKey(tenant, signature), '', 'PX', SIGNATURE_MS, 'NX'))) !== null;

const SlackAccount = z.object({
  tenant: z.string(),
  teamId: z.string(),
  userId: z.string(),
  /** What Slack calls the person, and the workspace. */
  userName: z.string(),
  teamName: z.string(),
});

/** An account in Slack that somebody wants to link. */
export type SlackAccount = z.infer<typeof SlackAccount>;

/**
 * Keeps a link.
 * @param digest of its secret
 * @throws HoldfastError unavailable
 */
export const keepSlackLink = async ({ redis }: Redis, digest: string, account: SlackAccount): Promise<void> => {
  await send(() => redis.set(slackLinkKey(digest), JSON.stringify(account), 'PX', LINK_MS));
};

const accountOf = (text: string | null): SlackAccount | null =>
  text === null ? null : SlackAccount.parse(JSON.parse(text));

/** Returns the account of a link; null: it was used, or is too old. @throws HoldfastError unavailable */
export const readSlackLink = async ({ redis }: Redis, digest: string): Promise<SlackAccount | null> =>
  accountOf(await send(() => redis.get(slackLinkKey(digest))));

/** Returns the same, and ends the link. @throws HoldfastError unavailable */
export const takeSlackLink = async ({ redis }: Redis, digest: string): Promise<SlackAccount | null> =>
  accountOf(await send(() => redis.getdel(slackLinkKey(digest))));
