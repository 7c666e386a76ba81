/**
 * Wallboards: the page that makes and revokes links, and the Board that such a link shows without a session.
 */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { MAX_LABEL_LENGTH } from '../../domain/tenants.ts';
import { labelsInUse } from '../../engine/definitions/list.ts';
import { clientAddress } from '../../http/admission/clientAddress.ts';
import { watch } from '../../operations/charging.ts';
import { createLink, deleteLink, type Followed, followLink } from '../../operations/tvLinks.ts';
import { listLinks, type TvLink } from '../../store/tvLinks.ts';
import { linkTo, readQuery } from '../board/query.ts';
import { readBoard } from '../board/readBoard.ts';
import { TvPage } from '../components/boardTv.tsx';
import { Confirm } from '../components/confirm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { Scroll } from '../components/tableParts.tsx';
import { When } from '../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, NO_DATABASE, readForm } from '../form.ts';
import { WallboardLabel } from '../formSchemas.ts';
import { originOf } from '../paths.ts';
import { whoDid } from '../words/auditSentences.ts';
import { zoneOf } from '../zone.ts';

const AT = '/dashboard/access/wallboards';
const TV = '/dashboard/tv';
/** Labels that the form offers. */
const MAX_LABELS = 50;
const TOKEN = /^[0-9a-f]{40}$/;

/**
 * Finds what reads the Board for a link.
 * @throws HoldfastError unknown; LimitError if the address has guessed too often
 */
async function follow(deps: DashboardDeps, c: Context<DashboardEnv>, token: string): Promise<Followed> {
  const { failedAuthentications, tenants, trustedProxies } = deps;
  const address = clientAddress(c, trustedProxies);
  failedAuthentications.check(address);
  try {
    if (tenants === null || !TOKEN.test(token)) throw new HoldfastError('unknown', 'There is no such wallboard.');
    const link = await followLink({ ...deps, ...tenants }, token);
    const credential = { ...link.credential, address };
    c.set('credential', credential);
    return { ...link, credential };
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'unknown') await failedAuthentications.count(address);
    throw error;
  }
}

/** The Board that a link shows. To be mounted before the pages that need a session. */
export const tvRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(`${TV}/:token`, async (c) => {
    const { token } = c.req.param();
    const { credential, label, tenantName } = await follow(deps, c, token);
    await deps.reads.charge(credential, null);
    const query = { ...readQuery(c), view: 'tv' as const };
    const board = await readBoard(deps, { credential, user: null, standings: [] }, query, zoneOf(c));
    const own = (page: number) => linkTo({ ...query, page }).replace(/^\/dashboard/, `${TV}/${token}`);
    const next = own((Math.min(query.page, board.pages) % board.pages) + 1);
    const props = { board, tenantName, label, next, from: own(query.page), stream: `${TV}/${token}/events` };
    return c.html(<TvPage {...props} />);
  });

/** Its events. To be mounted before what sets headers of pages: a stream has sent its own. */
export const tvStreamRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(`${TV}/:token/events`, async (c) => {
    const { credential } = await follow(deps, c, c.req.param('token'));
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    await watch(deps, credential, () => deps.streams.open(c.env.outgoing, credential, {}));
    return RESPONSE_ALREADY_SENT;
  });

/** The page of the links of a tenant. */
export const wallboardsRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const links = tenants && { ...deps, ...tenants };

  const show = async (c: Context<DashboardEnv>, failed?: Failed, made?: Made) => {
    const { viewer } = c.var;
    const [listed, labels] = await Promise.all([
      links === null ? null : listLinks(links.store, viewer.credential.tenant),
      // The form does without them rather than fail.
      labelsInUse(deps.engine, viewer.credential, MAX_LABELS).catch(() => []),
    ]);
    const props = { viewer, done: c.req.query('done'), failed, made, links: listed, labels };
    return c.html(<WallboardsPage {...props} />, failed?.status ?? 200);
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      if (links === null) return show(c, NO_DATABASE);
      const form = await readForm(c, z.object({ label: z.string(), only: z.string().default('') }));
      const filter = form.only === '' ? '' : `?${new URLSearchParams({ label: form.only })}`;
      const made = await attempt(deps, c, async () => {
        const label = check(WallboardLabel, form.label.trim());
        return { label, address: `${originOf(deps, c)}${TV}/${await createLink(links, c.var.viewer, label)}${filter}` };
      });
      return made.ok ? show(c, undefined, made.result) : show(c, made);
    })
    .post(`${AT}/delete`, async (c) => {
      if (links === null) return show(c, NO_DATABASE);
      const { id } = await readForm(c, z.object({ id: z.uuid() }));
      const deleted = await attempt(deps, c, () => deleteLink(links, c.var.viewer, id));
      return deleted.ok ? c.redirect(`${AT}?done=revoked`, 303) : show(c, deleted);
    });
};

/** A link that has just been made. */
interface Made {
  readonly label: string;
  readonly address: string;
}

interface WallboardsProps {
  readonly viewer: Viewer;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
  readonly made: Made | undefined;
  /** null: there is no database */
  readonly links: readonly TvLink[] | null;
  /** Those that a screen can be of, `<key>=<value>`. */
  readonly labels: readonly string[];
}

const WallboardsPage = ({ viewer, done, failed, made, links, labels }: WallboardsProps) => (
  <Page title="Wallboards" viewer={viewer} at={AT} done={done} failed={failed}>
    {links === null && <NeedsDatabase what="For wallboards" />}
    {made !== undefined && <MadePart {...made} />}
    {links !== null && links.length > 0 && <Links links={links} />}
    {links !== null && (
      <form method="post" action={AT} class="fields card">
        <h2>Make a link for a screen</h2>
        <p class="hint">
          Whoever has the link sees the Board, and nothing else, without signing in: who has what and until when. It
          works until somebody revokes it here.
        </p>
        <label>
          Where the screen is <input name="label" required maxlength={MAX_LABEL_LENGTH} autocomplete="off" />
        </label>
        <label>
          What it shows{' '}
          <select name="only">
            <option value="">Everything</option>
            {labels.map((one) => (
              <option value={one}>Only {one}</option>
            ))}
          </select>
        </label>
        <button type="submit">Make the link</button>
      </form>
    )}
  </Page>
);

const MadePart = ({ label, address }: Made) => (
  <div class="notice good secret">
    <p>
      The link of <strong>{label}</strong> is made. It is shown only now: open it on the screen.
    </p>
    <pre>
      <code id="wallboard-link">{address}</code>
    </pre>
    <button type="button" data-copy="wallboard-link" hidden>
      Copy the link
    </button>
  </div>
);

const Links = ({ links }: { links: readonly TvLink[] }) => (
  <Scroll label="Wallboards">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Where</th>
          <th scope="col">Made by</th>
          <th scope="col">Made</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {links.map(({ id, label, createdBy, createdAt }) => (
          <tr>
            <th scope="row">{label}</th>
            <td data-label="Made by">{whoDid(createdBy)}</td>
            <td data-label="Made">
              <When at={createdAt} as="ago" />
            </td>
            <td data-label="Actions">
              <Confirm
                id={`revoke-${id}`}
                label="Revoke"
                about={label}
                question={`Revoke the link of “${label}”? Its screens go dark at once.`}
                action={`${AT}/delete`}
                fields={{ id }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);
