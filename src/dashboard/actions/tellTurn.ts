/**
 * Telling people by e-mail when it is their turn, which they choose beside Join the queue
 * (docs/specification.md#personal-notices).
 */
import type { Context } from 'hono';
import { readMyNotices, tellTurnByEmail } from '../../operations/personalNotices.ts';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { type Attempt, attempt, NO_DATABASE } from '../form.ts';

/** An address to which e-mail can be sent. */
export interface EmailOffer {
  readonly address: string;
  /** True if the person has chosen it already. */
  readonly isChosen: boolean;
}

/** @returns null if no e-mail can be sent to the person, or that is not known: the form does without */
export async function emailOffer(
  { tenants }: Pick<DashboardDeps, 'tenants'>,
  { credential, user }: Viewer,
): Promise<EmailOffer | null> {
  if (tenants === null || !tenants.hasMail) return null;
  const mine = await readMyNotices(tenants, credential.tenant, user.id).catch(() => null);
  if (mine === null || mine.email === null || mine.faults.email !== null) return null;
  return { address: mine.email, isChosen: mine.choices.TURN.includes('email') };
}

/**
 * Tells by which channels a person learns of their turn while no page is open.
 * @returns null: not known, as without a database
 */
export async function turnChannels(
  { tenants }: Pick<DashboardDeps, 'tenants'>,
  { credential, user }: Viewer,
): Promise<readonly string[] | null> {
  const mine = tenants && (await readMyNotices(tenants, credential.tenant, user.id).catch(() => null));
  if (mine === null) return null;
  const { choices, faults } = mine;
  return (['email', 'slack', 'push'] as const)
    .filter((channel) => choices.TURN.includes(channel) && faults[channel] === null)
    .map((channel) => CHANNELS[channel]);
}

const CHANNELS = { email: 'e-mail', slack: 'Slack', push: 'push' };

/** Chooses e-mail for the turns of the person. */
export async function tellTurn(deps: DashboardDeps, c: Context<DashboardEnv>): Promise<Attempt<unknown>> {
  const { tenants } = deps;
  const { viewer } = c.var;
  if (tenants === null) return { ok: false, ...NO_DATABASE };
  return attempt(deps, c, () => tellTurnByEmail({ ...deps, ...tenants }, viewer, viewer.user.id));
}
