/**
 * What every page has: its head, where one can go, and what there is to say about what was just done.
 */
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { EVENT_TYPES } from '../../contract/events.ts';
import { assetPath } from '../assets.ts';
import type { Failed } from '../callApi.ts';
import type { Viewer } from '../env.ts';

const PLACES = [
  ['/dashboard', 'Overview'],
  ['/dashboard/live', 'Live'],
  ['/dashboard/reservations', 'Reservations'],
  ['/dashboard/resources', 'Resources'],
  ['/dashboard/keys', 'Keys'],
  ['/dashboard/settings', 'Settings'],
] as const;

const FOR_ADMINS = ['/dashboard/tenants', 'Tenants'] as const;

/** What may be said of a form that was carried out, by what stands in the address after it. */
const DONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    created: 'The key is made.',
    rotated: 'The key has a new value. The old one is refused from now on.',
    deleted: 'Deleted.',
    released: 'Released.',
    reset: 'All reservations are released.',
    registered: 'Registered.',
    saved: 'Saved.',
    suspended: 'The tenant is suspended.',
    resumed: 'The suspension is over.',
  }),
);

export interface PageProps {
  readonly title: string;
  /** null: nobody is signed in */
  readonly viewer: Viewer | null;
  /** The place in the navigation. */
  readonly at?: string;
  /** What the address says was done. */
  readonly done?: string | undefined;
  /** What went wrong with what was asked for. */
  readonly failed?: Failed | undefined;
  /**
   * Where the marked regions are to be fetched anew: with each change of the tenant's state, and every so many seconds.
   */
  readonly renew?: { readonly from: string; readonly everyS?: number };
  readonly script?: 'live.js';
  readonly children: Child;
}

/** A whole page, as text to be sent. */
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
        <h1>{title}</h1>
        {failed !== undefined && (
          <p class="notice bad" role="alert">
            {failed.fault}
          </p>
        )}
        {failed === undefined && DONE.has(done) && (
          <p class="notice good" role="status">
            {DONE.get(done)}
          </p>
        )}
        {children}
      </main>
      <p class="out-of-sight" role="status" id="said" />
    </body>
  </html>
);

const Navigation = ({ viewer, at }: { viewer: Viewer; at?: string | undefined }) => (
  <>
    <nav aria-label="Pages">
      <ul>
        {[...PLACES, ...(viewer.standing === 'none' ? [] : [FOR_ADMINS])].map(([path, name]) => (
          <li>
            <a href={path} aria-current={path === at ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <form class="person" method="post" action="/dashboard/sign-out">
      <span>{viewer.user.name ?? viewer.user.email ?? viewer.user.subject}</span>
      <button type="submit">Sign out</button>
    </form>
  </>
);

/** Says that something is not to be had without a database. */
export const NeedsDatabase = ({ what }: { what: string }) => (
  <p class="notice">
    {what} need a database: this service runs without one, and has what its configuration names. Set{' '}
    <code>DATABASE_URL</code> (and <code>KEY_SECRET</code>).
  </p>
);
