/**
 * Writes docs/openapi.json from what the routes declare; it needs neither Redis nor Postgres. Part of
 * `npm run generate`: run it after a change of the API, since a test fails if the file is not current.
 */
import { writeFileSync } from 'node:fs';
import { DEFAULT_INSTANCE, openapiDocument } from '../src/http/openapi.ts';

const text = JSON.stringify(openapiDocument(DEFAULT_INSTANCE), null, 2);
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${text}\n`);
