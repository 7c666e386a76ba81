/** The types of the client are those of the service's own description. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientTypes } from '../../../scripts/clientTypes.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../../src/http/openapi/openapi.ts';

test('the types of the client are current: if not, run `npm run generate`', async () => {
  expect(readFileSync('packages/client/src/generated.ts', 'utf8')).toBe(
    await clientTypes(openapiDocument(DEFAULT_INSTANCE)),
  );
});
