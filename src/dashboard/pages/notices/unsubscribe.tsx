/**
 * The page at which somebody ends e-mail by the link of a message, without sign-in: opening it changes nothing. Mail
 * programs send its form themselves, from no page of ours (RFC 8058).
 */
import { type Context, Hono } from 'hono';
import { HoldfastError } from '../../../domain/errors.ts';
import { UNSUBSCRIBE_PAGE, unsubscribePath } from '../../../domain/personalNotices.ts';
import { clientAddress } from '../../../http/admission/clientAddress.ts';
import { readUnsubscribeToken, type Unsubscription, unsubscribe } from '../../../operations/unsubscribe.ts';
import { Page } from '../../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { MY_NOTICES } from '../../paths.ts';

/** To be mounted before the pages that need a session. */
export const unsubscribeRoutes = (deps: DashboardDeps) => {
  const { tenants, failedAuthentications, trustedProxies } = deps;

  /** @throws HoldfastError unknown; LimitError if the address has guessed too often */
  const withToken = async <Result,>(
    c: Context<DashboardEnv>,
    use: (parts: NonNullable<typeof tenants>, token: string, address: string) => Promise<Result>,
  ): Promise<Result> => {
    const address = clientAddress(c, trustedProxies);
    failedAuthentications.check(address);
    try {
      if (tenants === null) throw new HoldfastError('unknown', 'There is no such page.');
      return await use(tenants, c.req.query('token') ?? '', address);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'unknown') await failedAuthentications.count(address);
      throw error;
    }
  };

  return new Hono<DashboardEnv>()
    .get(UNSUBSCRIBE_PAGE, async (c) => {
      const ends = await withToken(c, readUnsubscribeToken);
      return c.html(
        <Page title="Unsubscribe" viewer={null}>
          <p>
            End this e-mail to <strong>{ends.address}</strong>?
          </p>
          <Ends of={ends} />
          <form method="post" action={unsubscribePath(c.req.query('token') ?? '')} class="buttons">
            <button type="submit">Unsubscribe</button>
          </form>
        </Page>,
      );
    })
    .post(UNSUBSCRIBE_PAGE, async (c) => {
      const ended = await withToken(c, unsubscribe);
      return c.html(
        <Page title="Unsubscribed" viewer={null}>
          <p class="notice good" role="status">
            {ended.address} gets no more of this e-mail.
          </p>
          <Ends of={ended} />
          <p>
            <a href={MY_NOTICES}>Sign in to choose again what you are told</a>
          </p>
        </Page>,
      );
    });
};

/** The tenants and subscriptions that the link ends. */
const Ends = ({ of: { sources } }: { of: Unsubscription }) => (
  <ul>
    {sources.map((source) =>
      'userId' in source ? (
        <li>
          Personal notices of tenant <code>{source.tenant}</code>
        </li>
      ) : (
        <li>
          A subscription of tenant <code>{source.tenant}</code>
        </li>
      ),
    )}
  </ul>
);
