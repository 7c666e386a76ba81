/**
 * GET /openapi.json: the API as OpenAPI 3.1. GET /docs and below: the same for people, with examples that name the
 * address of the service; GET /docs/try: Swagger UI. The pages load nothing from another host, and their policy makes
 * browsers refuse to. All is made at its first request.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { OpenAPIHono } from '@hono/zod-openapi';
import { onFirstUse } from '../../domain/firstUse.ts';
import type { AppEnv } from '../env.ts';
import type { Document } from '../reference/document.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Swagger UI asks the service. */
const TRY_POLICY = `${POLICY}; connect-src 'self'`;

const TRY_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try the Holdfast API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="swagger-ui.css">
  </head>
  <body>
    <p><a href="../docs">Back to the reference</a></p>
    <div id="swagger-ui"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: '../openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });
`;

const readAsset = (file: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
const TYPES = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const;

interface DocsDeps {
  /** Makes the OpenAPI document. */
  readonly document: () => Promise<object>;
  /** Where the service is; undefined: where a request was sent to. */
  readonly publicUrl: string | undefined;
  /** Where people find keys; null: nowhere. */
  readonly keysPage: string | null;
}

export const docsRoutes = ({ document, publicUrl, keysPage }: DocsDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  const openapi = onFirstUse(async () => JSON.stringify(await document()));
  const site = onFirstUse(async () => {
    const [{ siteOf, withOrigin }, made] = await Promise.all([import('../reference/site.ts'), document()]);
    const pages = siteOf({ document: made as Document, keysPage, folder: 'docs', hasDocuments: false });
    return { pages, withOrigin };
  });
  const asset = onFirstUse(() => import('../reference/assets.ts'));

  app.get('/openapi.json', async (c) => c.body(await openapi(), 200, { 'Content-Type': 'application/json' }));
  app.get('/docs/try', (c) => c.html(TRY_PAGE, 200, { 'Content-Security-Policy': TRY_POLICY }));
  app.get('/docs/start.js', (c) => c.body(START, 200, { 'Content-Type': 'text/javascript' }));
  for (const [file, type] of Object.entries(TYPES))
    app.get(`/docs/${file}`, (c) => c.body(readAsset(file), 200, { 'Content-Type': type }));
  app.get('/docs/reference.css', async (c) => c.body((await asset()).STYLE, 200, { 'Content-Type': 'text/css' }));
  app.get('/docs/origin.js', async (c) => {
    const { ORIGIN_SCRIPT } = await asset();
    // What is configured is right, whatever the browser sees.
    return c.body(publicUrl === undefined ? ORIGIN_SCRIPT : '', 200, { 'Content-Type': 'text/javascript' });
  });
  // No parameter: RegExpRouter takes none beside the fixed paths.
  app.get('/docs/*', async (c, next) => {
    const { pages, withOrigin } = await site();
    const page = pages.get(c.req.path.replace(/^\/docs(\/(?=.))?/, ''));
    if (page === undefined) return next();
    const html = withOrigin(page, publicUrl ?? new URL(c.req.url).origin);
    return c.html(html, 200, { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' });
  });
  return app;
};
