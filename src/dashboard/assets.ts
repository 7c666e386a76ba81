/**
 * The files that pages name: a style sheet, scripts, an icon. Each is named with a digest of what it holds, so that a
 * browser keeps it for good and a new version has a new name.
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

/** Where pages find it. */
export const assetPath = (name: Asset): string => files.find((file) => file.name === name)?.path ?? '';

export const assetRoutes = () => {
  const app = new Hono<DashboardEnv>();
  for (const { name, content, path } of files) {
    const headers = { 'Content-Type': TYPES[name], 'Cache-Control': 'public, max-age=31536000, immutable' };
    app.get(path, (c) => c.body(content, 200, headers));
  }
  return app;
};
