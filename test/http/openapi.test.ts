/**
 * docs/openapi.json, and that it lists every operation.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';

const Operation = z.object({ operationId: z.string() });
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

test('docs/openapi.json is current; if not, run: npm run generate', () => {
  const text = `${JSON.stringify(openapiDocument(DEFAULT_INSTANCE), null, 2)}\n`;
  expect(readFileSync('docs/openapi.json', 'utf8') === text).toBe(true);
});

test('every operation that a route declares is in the document', async () => {
  const { paths } = Document.parse(openapiDocument(DEFAULT_INSTANCE));
  const listed = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const folder = 'src/http/routes';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const declared: string[] = [];
  for (const file of files) {
    const exported: object = await import(join(process.cwd(), folder, file));
    for (const one of Object.values(exported).flat()) {
      const { data } = Operation.safeParse(one);
      if (data !== undefined) declared.push(data.operationId);
    }
  }
  expect(declared.sort()).toEqual(listed.sort());
});
