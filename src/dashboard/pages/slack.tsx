/**
 * Ties an account in Slack to the person who has signed in, by the link that they asked for in Slack
 * (docs/specification.md#reserving-from-slack). Nothing is tied without a click: somebody may have sent them the link.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import type { SlackAccount } from '../../engine/tenant/slack.ts';
import { followSlackLink, showSlackLink } from '../../operations/slack.ts';
import { findSlackUser, unlinkSlackUser } from '../../store/slack.ts';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { readForm, readQuery } from '../form.ts';

const AT = '/dashboard/slack';
const SECRET = z.string().regex(/^[0-9a-f]{40}$/);

/** The account that a member has linked. Without a database there are none. */
export const slackRoutes = (deps: DashboardDeps) => {
  const withDatabase = () => {
    if (deps.tenants === null) throw new HoldfastError('unknown', 'There is no such page.');
    return { ...deps, ...deps.tenants };
  };

  return new Hono<DashboardEnv>()
    .get(AT, async (c) => {
      const { viewer } = c.var;
      const { link } = readQuery(c, z.object({ link: SECRET.optional() }));
      const given = withDatabase();
      if (link !== undefined) {
        const account = await showSlackLink(given, link);
        const former = await findSlackUser(given.store, account.tenant, viewer.user.id);
        return c.html(<LinkPage viewer={viewer} account={account} link={link} former={former?.userId ?? null} />);
      }
      const { tenant } = viewer.credential;
      const linked = await findSlackUser(given.store, tenant, viewer.user.id);
      return c.html(<LinkedPage viewer={viewer} account={linked?.userId ?? null} />);
    })
    .post(AT, async (c) => {
      const { viewer } = c.var;
      const { link } = await readForm(c, z.object({ link: SECRET }));
      const account = await followSlackLink(withDatabase(), link, viewer.user, viewer);
      return c.html(<DonePage viewer={viewer} account={account} />);
    })
    .post(`${AT}/unlink`, async (c) => {
      const { viewer } = c.var;
      await unlinkSlackUser(withDatabase().store, viewer.credential.tenant, viewer.user.id, viewer);
      return c.redirect(AT, 303);
    });
};

/** The account as Slack names it: people choose these names, so the id goes with them. */
const Account = ({ account: { userName, userId, teamName } }: { account: SlackAccount }) => (
  <>
    <strong>@{userName || userId}</strong> ({userId}) of the workspace <strong>{teamName}</strong>
  </>
);

interface LinkProps {
  readonly viewer: Viewer;
  readonly account: SlackAccount;
}

interface LinkPageProps extends LinkProps {
  readonly link: string;
  /** The account that the person has linked in that tenant; null: none */
  readonly former: string | null;
}

const LinkPage = ({ viewer, account, link, former }: LinkPageProps) => (
  <Page title="Link your account in Slack" viewer={viewer}>
    <p>
      In Slack, <Account account={account} /> will reserve and release in the tenant <strong>{account.tenant}</strong>{' '}
      as <strong>{viewer.user.email ?? viewer.user.name ?? viewer.user.subject}</strong>.
    </p>
    <p class="notice">
      Link it only if this is your own account, and you asked for this link yourself a moment ago, by{' '}
      <code>/holdfast link</code>. Somebody who sent you this link wants to act in your name.
    </p>
    {former !== null && former !== account.userId && (
      <p class="notice bad">
        You have linked another account there, <strong>{former}</strong>. It is unlinked then.
      </p>
    )}
    <form method="post" action={AT} class="buttons">
      <input type="hidden" name="link" value={link} />
      <button type="submit">This is my account: link it</button>
    </form>
  </Page>
);

const DonePage = ({ viewer, account }: LinkProps) => (
  <Page title="Linked" viewer={viewer}>
    <p>
      <Account account={account} /> is linked to you in the tenant <strong>{account.tenant}</strong>. In Slack,{' '}
      <code>/holdfast mine</code> shows what you have.
    </p>
  </Page>
);

const LinkedPage = ({ viewer, account }: { readonly viewer: Viewer; readonly account: string | null }) => (
  <Page title="Slack" viewer={viewer}>
    {account === null ? (
      <p>
        You have linked no account in Slack. Where this tenant has a Slack app, <code>/holdfast link</code> links yours.
      </p>
    ) : (
      <>
        <p>
          Your account <strong>{account}</strong> in Slack is linked to you.
        </p>
        <form method="post" action={`${AT}/unlink`} class="buttons">
          <button type="submit">Unlink it</button>
        </form>
      </>
    )}
  </Page>
);
