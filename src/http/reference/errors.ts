/**
 * The errors that any operation may have, with an example of each that can be provoked.
 */

import { FAILURE_CODES, type FailureCode } from '../../domain/errors.ts';
import type { Example, Examples } from './examples.ts';
import { type Block, code, table, text } from './html.ts';
import { layOut } from './requests.ts';
import { SPECIFICATION } from './rules.ts';

/** The status of each error, what it means, and what to do. docs/specification.md#errors is made of it. */
export const ERRORS: Readonly<Record<FailureCode, readonly [status: number, meaning: string]>> = {
  MALFORMED_REQUEST: [
    400,
    `The request breaks a rule of ${of('Names and sizes')}: the text names the field. Nothing was done.`,
  ],
  UNKNOWN_FIELD: [400, 'The same: there is no such field.'],
  REFUSED: [
    400,
    `The request contradicts the present state (a definition that is held, a path that contradicts another) or a rule of the tenant, exceeds the ${of('Work budget')}, asks for a ${of('priority', 'requests-that-wait')} that its credential may not have, or waits without a lease. The text says which. Nothing was done.`,
  ],
  INVALID_HOST: [400, 'There is no valid `Host` header, or more than one.'],
  UNAUTHENTICATED: [401, 'The key, token, session or JWT is missing or not valid.'],
  FORBIDDEN: [403, 'This key, token or session may not do this, or the tenant is suspended. Nothing was done.'],
  UPGRADE_REQUIRED: [403, 'This tier does not include the call. The body has `upgradeRequired: true`.'],
  INVALID_RELEASE_TOKEN: [
    403,
    `A ${of('release')} or renewal has a wrong token, or none. The code is in the header, the body is the array of results, and the other items were carried out.`,
  ],
  PATH_NOT_FOUND: [404, 'There is no such path. Percent-encode names in it.'],
  NOT_REGISTERED: [404, 'The resource to delete is not registered.'],
  NOT_FOUND: [404, 'There is no such key, token, member, invitation, issuer, subscription or tenant.'],
  METHOD_NOT_ALLOWED: [405, '`Allow` lists the methods.'],
  BODY_TIMEOUT: [408, 'The body did not arrive in time. Nothing was done. Send it again, or a smaller one.'],
  IDEMPOTENCY_MISMATCH: [
    409,
    `Another request was sent with this ${of('`Idempotency-Key`', 'repeating-safely')}. Nothing was done. Send a new key.`,
  ],
  REQUEST_RUNNING: [409, 'The first request with this key still runs. Repeat it after `Retry-After` seconds.'],
  RESPONSE_NOT_KEPT: [
    409,
    'The request was carried out before. Its response was too long to be kept. Send reserves again with a new `Idempotency-Key`: `ALREADY_HAD` has the tokens. Otherwise read the present state.',
  ],
  BODY_TOO_LARGE: [413, 'Send fewer items at a time.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body is not `application/json`.'],
  LIMIT_REACHED: [
    429,
    `A ${of('limit', 'limits')} is reached. \`limitType\` says ${of('which', 'limit-types')}. If the text says that it can never fit, send fewer items.`,
  ],
  INTERNAL: [500, 'A fault of the service. Report it with its `X-Request-Id`. The request may have been carried out.'],
  UNAVAILABLE: [
    503,
    'Redis or the database cannot be reached, or too few replicas confirmed: the outcome is unknown. Or Redis is full, or refuses to write: `error` says so. Repeat the request.',
  ],
  OVERLOADED: [503, 'The instance has too much to do. Nothing was done. Repeat the request.'],
  NOT_CONFIGURED: [503, 'The call needs a database, or JWT issuers, and the service has none. Do not repeat it.'],
};

function of(words: string, anchor = words.toLowerCase().replaceAll(' ', '-')): string {
  return `[${words}](${SPECIFICATION}#${anchor})`;
}

/** Of these, the whole response is shown. */
const WHOLE = ['UNKNOWN_FIELD', 'LIMIT_REACHED'];

const REASONS: Readonly<Record<number, string>> = { 400: 'Bad Request', 429: 'Too Many Requests' };

function codeOf({ response, responseHeaders = {} }: Example): string | undefined {
  if (responseHeaders['Holdfast-Error'] !== undefined) return responseHeaders['Holdfast-Error'];
  if (typeof response !== 'object' || response === null || !('code' in response)) return undefined;
  return String(response.code);
}

export function errorBlocks(examples: Examples): Block[] {
  // Those of no operation first, then those of the calls that readers know best.
  const isGeneral = ([name]: readonly [string, unknown]) => name.startsWith('error:');
  const named = Object.entries(examples);
  const order = [...named.filter(isGeneral), ...named.filter(([name]) => name === 'reserve'), ...named];
  const all = order.flatMap(([, some]) => some);
  const find = (wanted: string) => all.find((example) => codeOf(example) === wanted);
  const whole = WHOLE.flatMap((one) => {
    const example = find(one);
    return example === undefined ? [] : [code('http', wholeResponse(example))];
  });
  const rows = FAILURE_CODES.map((name) => {
    const example = find(name);
    const shown = example === undefined ? '' : `\`${JSON.stringify(example.response)}\``;
    return [String(ERRORS[name][0]), `\`${name}\``, ERRORS[name][1], shown];
  });
  return [...whole, text('All of them:'), table(['status', 'code', 'meaning', 'example of a body'], rows)];
}

function wholeResponse({ status, responseHeaders = {}, response }: Example): string {
  const headers = Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${REASONS[status] ?? ''}`, ...headers, '', layOut(response)].join('\n');
}
