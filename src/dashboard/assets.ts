/**
 * The style sheet, scripts and icon of the pages. Their addresses contain a digest of all of them, so that browsers can
 * cache them for ever and a new version has new addresses. They have one folder, so that scripts can import each other.
 * The style sheet is one file for browsers, and one a part of the pages for developers. A build of the
 * service minifies all of them (scripts/minifyAssets.ts).
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { onFirstUse } from '../domain/firstUse.ts';
import { fixedContent, respondWith } from '../http/browsers.ts';
import type { DashboardEnv } from './env.ts';

/** The parts of the style sheet. A later one overrides an earlier one. */
const STYLES = [
  'tokens',
  'shell',
  'parts',
  'resource',
  'actions',
  'tables',
  'board',
  'insight',
  'firstSteps',
  'lists',
  'timeline',
  'bookings',
  'phone',
  'forms',
];

const TYPES = {
  'act.js': 'text/javascript; charset=utf-8',
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'days.js': 'text/javascript; charset=utf-8',
  'dialogs.js': 'text/javascript; charset=utf-8',
  'exactTime.js': 'text/javascript; charset=utf-8',
  'idiomorph.js': 'text/javascript; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'notify.js': 'text/javascript; charset=utf-8',
  'palette.js': 'text/javascript; charset=utf-8',
  'push.js': 'text/javascript; charset=utf-8',
  'renew.js': 'text/javascript; charset=utf-8',
  'scan.js': 'text/javascript; charset=utf-8',
  'shortcuts.js': 'text/javascript; charset=utf-8',
  'span.js': 'text/javascript; charset=utf-8',
  'times.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

const CACHED = { 'Cache-Control': 'public, max-age=31536000, immutable' };

type Asset = keyof typeof TYPES;

export const bytesOf = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`assets/${name}`, import.meta.url)));

const textOf = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');

/** Each file as browsers load it. */
const contents = (Object.keys(TYPES) as Asset[]).map((name) => ({
  name,
  content: name === 'dashboard.css' ? STYLES.map((style) => textOf(`styles/${style}.css`)).join('') : textOf(name),
}));
const digest = hash('sha256', JSON.stringify(contents)).slice(0, 12);

/** The address of a file. */
export const assetPath = (name: Asset): string => `/dashboard/assets/${digest}/${name}`;

export const assetRoutes = () => {
  const app = new Hono<DashboardEnv>();
  for (const { name, content } of contents) {
    const compressed = onFirstUse(() => fixedContent(content, TYPES[name]));
    app.get(assetPath(name), async (c) => respondWith(c, await compressed(), CACHED));
  }
  return app;
};
