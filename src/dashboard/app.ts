/**
 * The manifest, the icons and the service worker that make the dashboard an app on a phone, at addresses that stay the
 * same.
 */
import { Hono } from 'hono';
import { onFirstUse } from '../domain/firstUse.ts';
import { fixedContent, respondWith } from '../http/browsers.ts';
import { bytesOf } from './assets.ts';
import type { DashboardEnv } from './env.ts';

export const MANIFEST = '/dashboard/manifest.webmanifest';
export const TOUCH_ICON = '/dashboard/icons/192.png';

/** The colours of the head on phones: those of styles/tokens.css. */
export const THEME = { light: '#ffffff', dark: '#13171c' } as const;

/** The icons as PNG, which `npm run screenshots` draws from icon.svg. A margin of a maskable one may be cut off. */
export const APP_ICONS = [
  { name: '192', size: 192, purpose: 'any' },
  { name: '512', size: 512, purpose: 'any' },
  { name: 'maskable-512', size: 512, purpose: 'maskable' },
] as const;

const manifest = {
  id: '/dashboard',
  name: 'Holdfast',
  description: 'Who has what, until when, and who is next.',
  start_url: '/dashboard',
  scope: '/dashboard',
  display: 'standalone',
  background_color: '#f7f8fa',
  theme_color: THEME.light,
  icons: APP_ICONS.map(({ name, size, purpose }) => ({
    src: `/dashboard/icons/${name}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  })),
  shortcuts: [
    { name: 'Mine', url: '/dashboard/mine' },
    { name: 'Scan', url: '/dashboard/scan' },
  ],
};

/** A new version of the service may bring others. */
const CACHED = { 'Cache-Control': 'public, max-age=3600' };

/** Anybody may read them: browsers ask for them without the session. */
export const appRoutes = () => {
  const app = new Hono<DashboardEnv>();
  const serve = (path: string, content: () => string | Uint8Array<ArrayBuffer>, type: string) => {
    const compressed = onFirstUse(() => fixedContent(content(), type));
    app.get(path, async (c) => respondWith(c, await compressed(), CACHED));
  };
  serve(MANIFEST, () => JSON.stringify(manifest), 'application/manifest+json');
  // Browsers look for a new version of it by themselves, by its address.
  serve('/dashboard/worker.js', () => bytesOf('worker.js'), 'text/javascript; charset=utf-8');
  for (const { name } of APP_ICONS)
    serve(`/dashboard/icons/${name}.png`, () => bytesOf(`icons/${name}.png`), 'image/png');
  return app;
};
