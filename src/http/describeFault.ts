/**
 * Describes why a request does not fit its schema.
 */
import type { z } from 'zod';

export const isUnknownField = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys';

/**
 * Names the first fault of a request by item and field: `[3].ttlSeconds must be an integer greater than 0`. An unknown
 * field comes before any other fault, since it is often the reason why another field is missing.
 */
export function describeFault({ issues }: z.core.$ZodError): string {
  const issue = issues.find(isUnknownField) ?? issues[0];
  if (issue === undefined) return 'the request is malformed';
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${shorten(String(key))}`)).join('');
  return `${field.replace(/^\./, '') || 'the request body'} ${issue.message}`;
}

const MAX_FIELD_LENGTH = 64;

/** The start of a caller's field name, long enough to find it. */
const shorten = (field: string) => (field.length > MAX_FIELD_LENGTH ? `${field.slice(0, MAX_FIELD_LENGTH)}…` : field);
