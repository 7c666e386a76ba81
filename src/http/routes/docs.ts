/**
 * GET /openapi.json: the API as OpenAPI 3.1. GET /docs: the same for people, in Swagger UI. The page loads nothing from
 * another host, and its policy makes browsers refuse to.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { OpenAPIHono } from '@hono/zod-openapi';
import { onFirstUse } from '../../domain/firstUse.ts';
import type { AppEnv } from '../env.ts';

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Holdfast API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: '../openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });
`;

const readAsset = (file: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
const TYPES = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const;

/** @param document makes the OpenAPI document; called at the first request */
export const docsRoutes = (document: () => Promise<object>) => {
  const app = new OpenAPIHono<AppEnv>();
  const openapi = onFirstUse(async () => JSON.stringify(await document()));
  app.get('/openapi.json', async (c) => c.body(await openapi(), 200, { 'Content-Type': 'application/json' }));
  app.get('/docs', (c) => c.html(PAGE, 200, { 'Content-Security-Policy': CONTENT_SECURITY_POLICY }));
  app.get('/docs/start.js', (c) => c.body(START, 200, { 'Content-Type': 'text/javascript' }));
  for (const [file, type] of Object.entries(TYPES)) {
    app.get(`/docs/${file}`, (c) => c.body(readAsset(file), 200, { 'Content-Type': type }));
  }
  return app;
};
