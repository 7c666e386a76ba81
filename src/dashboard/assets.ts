/**
 * The style sheet, scripts and icon of the pages. The address of each contains a digest of its content, so that
 * browsers can cache it for ever and a new version has a new address.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import type { DashboardEnv } from './env.ts';

const TYPES = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

type Asset = keyof typeof TYPES;

const FOLDER = '/dashboard/assets';

const files = (Object.keys(TYPES) as Asset[]).map((name) => {
  const content = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
  return { name, content, path: `${FOLDER}/${hash('sha256', content).slice(0, 12)}/${name}` };
});

/** The address of a file. */
export const assetPath = (name: Asset): string => files.find((file) => file.name === name)?.path ?? '';

export const assetRoutes = () => {
  const app = new Hono<DashboardEnv>();
  for (const { name, content, path } of files) {
    const headers = { 'Content-Type': TYPES[name], 'Cache-Control': 'public, max-age=31536000, immutable' };
    app.get(path, (c) => c.body(content, 200, headers));
  }
  return app;
};
