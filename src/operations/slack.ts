/**
 * The Slack app of a tenant, and the accounts that members link (docs/specification.md#reserving-from-slack).
 */
import { z } from 'zod';
import type { NewSlackApp } from '../contract/tenant.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { SessionUser } from '../engine/tenant/signIns.ts';
import { keepSlackLink, readSlackLink, type SlackAccount, takeSlackLink } from '../engine/tenant/slack.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import { digestOf, makeSecret, type Sealer } from '../identity/credentials.ts';
import { callSlack, type SlackSite } from '../outgoing/slack.ts';
import type { Author } from '../store/audit.ts';
import type { Store } from '../store/records.ts';
import * as store from '../store/slack.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';

export type SlackDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly slack: SlackSite;
};

/**
 * Reads the app. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readSlackApp = (
  deps: Pick<SlackDeps, 'activity' | 'reads' | 'store'>,
  { credential }: Actor,
): Promise<Charged<store.SlackApp>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'settings'), () => store.readSlackApp(deps.store, credential.tenant)),
  );

/**
 * Registers the app, in place of the one that the tenant had. Costs one write.
 * @throws HoldfastError refused if Slack refuses the token; unauthenticated, forbidden, unavailable; LimitError
 */
export const putSlackApp = (
  deps: SlackDeps,
  by: Actor,
  { botToken, signingSecret }: NewSlackApp,
): Promise<Charged<store.SlackApp>> => {
  const { credential, actor, address } = by;
  const put = async () => {
    const team = await teamOf(deps.slack, botToken);
    const [token, secret] = await Promise.all([deps.sealer.seal(botToken), deps.sealer.seal(signingSecret)]);
    const app = { ...team, botToken: token, signingSecret: secret };
    // One that cannot be decrypted, since KEY_SECRET has changed, is taken for another one.
    const isSameSecret = async (sealed: string) => (await deps.sealer.open(sealed).catch(() => null)) === signingSecret;
    return store.putSlackApp(deps.store, credential.tenant, app, isSameSecret, { actor, address });
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), put));
};

/**
 * Removes the app, and all links. Costs one write.
 * @returns the app
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const deleteSlackApp = (
  deps: SlackDeps,
  { credential, actor, address }: Actor,
): Promise<Charged<store.SlackApp>> => {
  const remove = () => store.deleteSlackApp(deps.store, credential.tenant, { actor, address });
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), remove));
};

const Team = z.object({ team_id: z.string().min(1).max(64), team: z.string() });

/** Time in which Slack must answer. */
const TIMEOUT_MS = 10_000;

/** Asks Slack for the workspace of a token. @throws HoldfastError refused, unavailable */
async function teamOf(slack: SlackSite, botToken: string): Promise<{ teamId: string; teamName: string }> {
  const answer = await callSlack(slack, 'auth.test', botToken, {}, AbortSignal.timeout(TIMEOUT_MS)).catch(
    (cause: unknown) => {
      throw new HoldfastError('unavailable', 'Slack cannot be reached.', { cause });
    },
  );
  if (!answer.ok) {
    if (answer.status >= 429) throw new HoldfastError('unavailable', 'Slack did not answer. Try again later.');
    throw new HoldfastError('refused', `botToken is refused by Slack: ${answer.error}`);
  }
  const { team_id: teamId, team: teamName } = Team.parse(answer.body);
  return { teamId, teamName };
}

/**
 * Makes a link by which whoever has it can tie an account to themselves, once, within 10 minutes.
 * @returns its secret, which is not kept
 * @throws HoldfastError unavailable
 */
export async function makeSlackLink(deps: Pick<SlackDeps, 'engine'>, account: SlackAccount): Promise<string> {
  const secret = makeSecret();
  await keepSlackLink(deps.engine, digestOf(secret), account);
  return secret;
}

const noSuchLink = () =>
  new HoldfastError('unknown', 'This link was used, or is too old. Ask for another one in Slack: /holdfast link');

/** Reads what a link would tie. @throws HoldfastError unknown, unavailable */
export async function showSlackLink({ engine }: Pick<SlackDeps, 'engine'>, secret: string): Promise<SlackAccount> {
  const account = await readSlackLink(engine, digestOf(secret));
  if (account === null) throw noSuchLink();
  return account;
}

/**
 * Ties the account of a link to a person, in the tenant of the link. It works once.
 * @throws HoldfastError unknown; refused if the person is no member there; unavailable
 */
export async function followSlackLink(
  { engine, store: databases }: Pick<SlackDeps, 'engine' | 'store'>,
  secret: string,
  { id }: Pick<SessionUser, 'id'>,
  by: Author,
): Promise<SlackAccount> {
  const account = await takeSlackLink(engine, digestOf(secret));
  if (account === null) throw noSuchLink();
  await store.linkSlackUser(databases, account.tenant, account, id, by);
  return account;
}
