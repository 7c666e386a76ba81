/**
 * GET /openapi.json: the API as OpenAPI 3.1. GET /docs and below: the same for people, with examples that name the
 * address of the service; GET /docs/try: Swagger UI. The pages load nothing from another host, and their policy makes
 * browsers refuse to. All is made at its first
 * request.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { onFirstUse } from '../../domain/firstUse.ts';
import { type FixedContent, fixedContent, respondWith } from '../browsers.ts';
import type { AppEnv } from '../deps.ts';
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
const SWAGGER_UI = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const;

interface DocsDeps {
  /** Makes the OpenAPI document. */
  readonly document: () => Promise<object>;
  /** Where the service is; undefined: where a request was sent to. */
  readonly publicUrl: string | undefined;
  /** Where people find keys; null: nowhere. */
  readonly keysPage: string | null;
}

export const docsRoutes = ({ document, publicUrl, keysPage }: DocsDeps) => {
  const app = new Hono<AppEnv>();
  const site = onFirstUse(async () => {
    const [{ siteOf, withOrigin }, made] = await Promise.all([import('../reference/site.ts'), document()]);
    const pages = siteOf({ document: made as Document, keysPage, folder: 'docs', hasDocuments: false });
    return { pages, withOrigin };
  });
  const asset = () => import('../reference/html.ts');
  const fixed = (path: string, type: string, load: () => Promise<FixedContent['plain']>) => {
    const content = onFirstUse(async () => fixedContent(await load(), type));
    app.get(path, async (c) => respondWith(c, await content()));
  };

  app.use('/openapi.json', etag());
  // Pages name the address of the request, so each is compressed by itself.
  app.use('/docs/*', compress({ contentTypeFilter: /^text\/html/ }), etag());
  fixed('/openapi.json', 'application/json', async () => JSON.stringify(await document()));
  fixed('/docs/start.js', 'text/javascript', async () => START);
  for (const [file, type] of Object.entries(SWAGGER_UI)) fixed(`/docs/${file}`, type, async () => readAsset(file));
  fixed('/docs/reference.css', 'text/css', async () => (await asset()).STYLE);
  // The configured address is right, whatever the browser sees.
  const originScript = async () => (publicUrl === undefined ? (await asset()).ORIGIN_SCRIPT : '');
  fixed('/docs/origin.js', 'text/javascript', originScript);
  app.get('/docs/try', (c) => c.html(TRY_PAGE, 200, { 'Content-Security-Policy': TRY_POLICY }));
  // No parameter: RegExpRouter takes none beside the fixed paths.
  app.get('/docs/*', async (c, next) => {
    const { pages, withOrigin } = await site();
    const page = pages.get(c.req.path.replace(/^\/docs(\/(?=.))?/, ''));
    if (page === undefined) return next();
    const html = withOrigin(page, publicUrl ?? new URL(c.req.url).origin);
    return c.html(html, 200, { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
  });
  return app;
};
