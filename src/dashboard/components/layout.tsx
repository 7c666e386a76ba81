/**
 * The frame of every page: its head, the navigation, and a notice about the form that was just sent.
 */
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { EVENT_TYPES } from '../../contract/events.ts';
import { BUILD } from '../../domain/build.ts';
import type { Right } from '../../domain/rights.ts';
import { assetPath } from '../assets.ts';
import type { Viewer } from '../env.ts';
import type { Failed } from '../form.ts';
import { KEYS_OF_PAGE } from '../shortcuts.ts';
import { may } from '../viewer.ts';
import { DoneNotice } from './doneNotice.tsx';
import { JoinedNotice } from './joinedNotice.tsx';
import { YourTurns } from './yourTurns.tsx';

/** The pages, and the right that each takes. */
export const PLACES = [
  ['/dashboard', 'Board', 'read'],
  ['/dashboard/overview', 'Overview', 'read'],
  ['/dashboard/insight', 'Insight', 'read'],
  ['/dashboard/live', 'Live', 'read'],
  ['/dashboard/reservations', 'Reservations', 'read'],
  ['/dashboard/resources', 'Resources', 'definitions'],
  ['/dashboard/history', 'History', 'read'],
  ['/dashboard/keys', 'Keys', 'keys'],
  ['/dashboard/tokens', 'Tokens', 'tokens'],
  ['/dashboard/members', 'Members', 'members'],
  ['/dashboard/settings', 'Settings', 'settings'],
  ['/dashboard/audit', 'Audit', 'audit'],
] as const satisfies readonly (readonly [string, string, Right])[];

const FOR_ADMINS = ['/dashboard/tenants', 'Tenants'] as const;

export interface PageProps {
  readonly title: string;
  /** null: nobody is signed in */
  readonly viewer: Viewer | null;
  /** The page's place in the navigation. */
  readonly at?: string;
  /** The `done` of the address. */
  readonly done?: string | undefined;
  /** The failure of the form that was sent. */
  readonly failed?: Failed | undefined;
  /** Where the live regions are fetched again: at each change of the tenant's state, and every so many seconds. */
  readonly renew?: { readonly from: string; readonly everyS?: number };
  readonly script?: 'live.js';
  readonly children: Child;
}

/** A whole page as HTML. */
export const Page = (props: PageProps) => html`<!doctype html>${<Document {...props} />}`;

const Document = ({ title, viewer, at, done = '', failed, renew, script, children }: PageProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title} – Holdfast</title>
      <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
      <link rel="stylesheet" href={assetPath('dashboard.css')} />
      <script type="module" src={assetPath('dashboard.js')} />
      {script && <script type="module" src={assetPath(script)} />}
    </head>
    <body
      data-now={Date.now()}
      data-renew={renew?.from}
      data-renew-every={renew && (renew.everyS ?? 0)}
      data-events={renew && EVENT_TYPES.join(' ')}
    >
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/dashboard">
          <img src={assetPath('icon.svg')} alt="" width="24" height="24" /> Holdfast
        </a>
        {viewer && <Navigation viewer={viewer} at={at} />}
      </header>
      <main id="main" tabindex={-1}>
        {viewer && <YourTurns viewer={viewer} />}
        <h1>{title}</h1>
        {failed !== undefined && (
          <p class="notice bad" role="alert">
            {failed.fault}
            {failed.link && (
              <>
                {' '}
                <a href={failed.link.to}>{failed.link.text}</a>
              </>
            )}
          </p>
        )}
        {failed === undefined && <DoneNotice done={done} viewer={viewer} />}
        {viewer && viewer.joined.length > 0 && <JoinedNotice viewer={viewer} />}
        {children}
      </main>
      {viewer && (
        <footer class="foot">
          <a href="/dashboard/shortcuts" data-shortcut="?">
            Keyboard shortcuts
          </a>
          <button type="button" id="pause-page" aria-pressed="false" hidden>
            Pause updates
          </button>
          <span>
            Holdfast {BUILD.version}
            {BUILD.commit && ` (${BUILD.commit.slice(0, 7)})`}
          </span>
        </footer>
      )}
      <p class="out-of-sight" role="status" id="said" />
    </body>
  </html>
);

const Navigation = ({ viewer, at }: { viewer: Viewer; at?: string | undefined }) => (
  <>
    <nav aria-label="Pages">
      <ul>
        {[
          ...PLACES.filter(([, , right]) => may(viewer, right)),
          ...(viewer.standing === 'none' ? [] : [FOR_ADMINS]),
        ].map(([path, name]) => (
          <li>
            <a href={path} aria-current={path === at ? 'page' : undefined} data-shortcut={KEYS_OF_PAGE[path]}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {viewer.memberships.length > 1 && <Switcher viewer={viewer} />}
    <form class="person" method="post" action="/dashboard/sign-out">
      <span>{viewer.user.name ?? viewer.user.email ?? viewer.user.subject}</span>
      <button type="submit">Sign out</button>
    </form>
  </>
);

const Switcher = ({ viewer: { memberships, credential } }: { viewer: Viewer }) => (
  <form class="person" method="post" action="/dashboard/switch">
    <select name="tenant" aria-label="Tenant">
      {memberships.map(({ tenant, name, role }) => (
        <option value={tenant} selected={tenant === credential.tenant}>
          {name === tenant ? tenant : `${name} (${tenant})`}, {role}
        </option>
      ))}
    </select>{' '}
    <button type="submit">Switch</button>
  </form>
);

/** @param props.what the purpose of a database here, as `To create keys` */
export const NeedsDatabase = ({ what }: { what: string }) => (
  <p class="notice">
    {what}, set <code>DATABASE_URL</code> (and <code>KEY_SECRET</code>): this service runs without a database.
  </p>
);
