/**
 * Makes packages/client/src/generated.ts: the types of the calls that the client makes, from the OpenAPI document.
 * For `npm run generate`.
 */
import openapiTypes, { astToString } from 'openapi-typescript';
import { z } from 'zod';

/** The schemas that clients need, in all languages. */
export const SCHEMAS = [
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
  'BookingItem',
  'BookResult',
  'BookedItem',
  'BookingConflict',
  'Booking',
  'CancelledBookings',
  'Registration',
  'Definition',
  'TreeNode',
  'ConditionItem',
  'ConditionResult',
  'Deleted',
  'Event',
  'Failure',
  'FailureCode',
  'LimitReached',
] as const;

const Document = z.looseObject({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) });

/**
 * The generated module, as text.
 * @param document the OpenAPI document
 */
export async function clientTypes(document: object): Promise<string> {
  const { schemas } = Document.parse(document).components;
  const wanted = Object.fromEntries(SCHEMAS.map((name) => [name, schemas[name]]));
  const reduced = { openapi: '3.1.0', info: { title: '', version: '' }, components: { schemas: wanted } };
  const types = astToString(await openapiTypes(JSON.stringify(reduced)));
  return `// Made by \`npm run generate\`. Do not edit.\n${types}`;
}
