/**
 * Writes packages/client/src/generated.ts: the types of the calls that the client makes, from docs/openapi.json. Part
 * of `npm run generate`; a test fails if the file is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTypes, { astToString } from 'openapi-typescript';
import { z } from 'zod';

const SCHEMAS = [
  'ReserveItem',
  'ReserveResult',
  'UnreserveItem',
  'UnreserveResult',
  'RenewItem',
  'RenewResult',
  'Transaction',
  'TransactionRequest',
  'TransactionResult',
  'UndoneUnreserveResult',
  'CheckItem',
  'CheckResult',
  'CancelItem',
  'CancelResult',
  'ActiveReservation',
  'WaitingRequest',
  'Cleared',
  'NewSession',
  'BegunSession',
  'RenewedSession',
  'EndedSession',
  'SessionProof',
  'Session',
  'Registration',
  'Definition',
  'TreeNode',
  'Deleted',
  'Event',
  'Failure',
  'FailureCode',
  'LimitReached',
] as const;

const Document = z.looseObject({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) });

/** The generated module, as text. */
export async function clientTypes(): Promise<string> {
  const text = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');
  const { schemas } = Document.parse(JSON.parse(text)).components;
  const wanted = Object.fromEntries(SCHEMAS.map((name) => [name, schemas[name]]));
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, components: { schemas: wanted } };
  const types = astToString(await openapiTypes(JSON.stringify(document)));
  return `// Made by \`npm run generate\`. Do not edit.\n${types}`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(new URL('../packages/client/src/generated.ts', import.meta.url), await clientTypes());
}
