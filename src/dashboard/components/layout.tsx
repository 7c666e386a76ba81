/**
 * The frame of every page: what stands around it, its head, and a notice about the form that was just sent.
 */
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { EVENT_TYPES } from '../../domain/eventTypes.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { MANIFEST, THEME, TOUCH_ICON } from '../app.ts';
import { assetPath } from '../assets.ts';
import type { Viewer } from '../env.ts';
import type { Failed } from '../form.ts';
import { whoDid } from '../words/auditSentences.ts';
import { Confirm } from './confirm.tsx';
import { Toast } from './doneNotice.tsx';
import { Head, type HeadProps } from './head.tsx';
import { BottomBar, Sidebar, Tabs } from './shell.tsx';
import { YourTurns } from './yourTurns.tsx';

export interface PageProps {
  readonly title: string;
  /** The head line beside the title (components/head.tsx). */
  readonly head?: Omit<HeadProps, 'title'>;
  /** Another head in place of the head line. It contains the h1. */
  readonly ownHead?: Child;
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
  /** The id of the list that the page is of: keys reach it before what filters it. */
  readonly list?: string;
  readonly script?: 'live.js' | 'push.js' | 'scan.js';
  readonly children: Child;
}

/** A whole page as HTML. */
export const Page = (props: PageProps) => html`<!doctype html>${<Document {...props} />}`;

const Document = ({ title, head, ownHead, viewer, at, done, failed, renew, list, script, children }: PageProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title} – Holdfast</title>
      <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
      <link rel="manifest" href={MANIFEST} />
      <link rel="apple-touch-icon" href={TOUCH_ICON} />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={THEME.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={THEME.dark} />
      <link rel="stylesheet" href={assetPath('dashboard.css')} />
      <script type="module" src={assetPath('dashboard.js')} />
      {script && <script type="module" src={assetPath(script)} />}
    </head>
    <body
      class={viewer ? 'app' : undefined}
      data-now={Date.now()}
      data-tenant={viewer?.credential.tenant}
      data-me={viewer && requesterOf(viewer.user)}
      data-myself={viewer?.actor}
      data-renew={renew?.from}
      data-renew-every={renew && (renew.everyS ?? 0)}
      data-events={renew && EVENT_TYPES.join(' ')}
    >
      <a class="skip" href="#main">
        Skip to the content
      </a>
      {list && (
        <a class="skip" href={`#${list}`}>
          Skip to the list
        </a>
      )}
      {viewer && <Sidebar viewer={viewer} at={at} />}
      <main id="main" tabindex={-1}>
        {viewer === null && (
          <p class="brand">
            <img src={assetPath('icon.svg')} width="24" height="24" alt="" /> Holdfast
          </p>
        )}
        {ownHead ?? <Head title={title} {...head} />}
        {viewer && <YourTurns viewer={viewer} />}
        {viewer && ownHead === undefined && <Tabs viewer={viewer} at={at} />}
        {failed !== undefined && <FaultNotice failed={failed} />}
        <div id="toasts" role="status">
          {failed === undefined && <Toast done={done} viewer={viewer} />}
          {viewer && viewer.joined.length > 0 && <JoinedNotice viewer={viewer} />}
        </div>
        {children}
      </main>
      {viewer && <BottomBar viewer={viewer} at={at} />}
      <p class="out-of-sight" role="status" id="said" />
    </body>
  </html>
);

export const FaultNotice = ({ failed: { fault, link } }: { failed: Failed }) => (
  <p class="notice bad" role="alert">
    {fault}
    {link && (
      <>
        {' '}
        <a href={link.to}>{link.text}</a>
      </>
    )}
  </p>
);

/** @param props.what the purpose of a database here, as `To create keys` */
export const NeedsDatabase = ({ what }: { what: string }) => (
  <p class="notice">
    {what}, set <code>DATABASE_URL</code> (and <code>KEY_SECRET</code>): this service runs without a database.
  </p>
);

/**
 * Tells a person once of the tenants that their sign-in has made them a member of (docs/specification.md#members):
 * whoever invites an address decides what the tenant is called.
 */
const JoinedNotice = ({ viewer: { joined, credential } }: { viewer: Viewer }) => (
  <section class="toast joined" aria-label="New memberships">
    {joined.map(({ tenant, name, by }) => (
      <div>
        <p>
          You are now a member of <strong>{name === tenant ? name : `${name} (${tenant})`}</strong>, invited by{' '}
          {whoDid(by)}.
        </p>
        <div class="buttons">
          {tenant !== credential.tenant && (
            <form method="post" action="/dashboard/switch">
              <input type="hidden" name="tenant" value={tenant} />
              <button type="submit">
                Switch to it<span class="out-of-sight">: {tenant}</span>
              </button>
            </form>
          )}
          <Confirm
            id={`leave-${tenant}`}
            label="Leave it"
            about={tenant}
            question={`Leave the tenant “${tenant}”? An owner must invite you again if you want to come back.`}
            action="/dashboard/leave"
            fields={{ tenant }}
          />
        </div>
      </div>
    ))}
  </section>
);
