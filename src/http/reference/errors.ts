/**
 * The errors that any operation may have, with an example of each that can be provoked.
 */
import { type Block, code, table, text } from './blocks.ts';
import type { Example, Examples } from './examples.ts';
import { layOut } from './requests.ts';

type Row = readonly [status: number, codes: readonly string[], advice: string];

const ROWS: readonly Row[] = [
  [400, ['UNKNOWN_FIELD', 'MALFORMED_REQUEST'], 'Correct the field that the text names. Nothing was done.'],
  [
    400,
    ['REFUSED'],
    'The request contradicts the present state or a rule of the tenant. The text says how. Nothing was done.',
  ],
  [400, ['INVALID_HOST'], 'Send one valid `Host` header.'],
  [401, ['UNAUTHENTICATED'], 'Send a valid key, token or session.'],
  [403, ['FORBIDDEN'], 'Use a credential that [may make this call](../permissions.md). Nothing was done.'],
  [403, ['UPGRADE_REQUIRED'], 'The tier does not have it.'],
  [403, ['INVALID_RELEASE_TOKEN'], 'A release token is wrong or missing. The other items were carried out.'],
  [404, ['PATH_NOT_FOUND'], 'Correct the path. Percent-encode names in it.'],
  [404, ['NOT_REGISTERED', 'NOT_FOUND'], 'There is no such thing.'],
  [405, ['METHOD_NOT_ALLOWED'], 'Use a method of the header `Allow`.'],
  [408, ['BODY_TIMEOUT'], 'The body came too slowly. Nothing was done. Send it again, or a smaller one.'],
  [409, ['IDEMPOTENCY_MISMATCH'], 'Another request was sent with this `Idempotency-Key`. Send a new key.'],
  [409, ['REQUEST_RUNNING'], 'Repeat the request after `Retry-After` seconds.'],
  [
    409,
    ['RESPONSE_NOT_KEPT'],
    'The request was carried out before. Send reserves again with a new `Idempotency-Key`: `ALREADY_HAD` has the tokens. Otherwise read the present state.',
  ],
  [413, ['BODY_TOO_LARGE'], 'Send fewer items at a time.'],
  [415, ['UNSUPPORTED_MEDIA_TYPE'], 'Send `Content-Type: application/json`.'],
  [
    429,
    ['LIMIT_REACHED'],
    'Wait for `Retry-After` seconds. `limitType` says [which limit](../specification.md#limit-types) it is. If the text says that it can never fit, send fewer items.',
  ],
  [
    500,
    ['INTERNAL'],
    'A fault of the service. Report it with its `X-Request-Id`. The request may have been carried out.',
  ],
  [503, ['UNAVAILABLE'], 'Repeat it with the same `Idempotency-Key`: it may have been carried out.'],
  [503, ['OVERLOADED'], 'Repeat the request after `Retry-After` seconds. Nothing was done.'],
  [503, ['NOT_CONFIGURED'], 'Do not repeat it: the service has no database, or no JWT issuers.'],
];

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
  const rows = ROWS.map(([status, codes, advice]) => {
    const example = codes.map(find).find((one) => one !== undefined);
    const shown = example === undefined ? '' : `\`${JSON.stringify(example.response)}\``;
    return [String(status), codes.map((one) => `\`${one}\``).join(', '), advice, shown];
  });
  return [...whole, text('All of them:'), table(['status', 'code', 'what to do', 'example of a body'], rows)];
}

function wholeResponse({ status, responseHeaders = {}, response }: Example): string {
  const headers = Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${REASONS[status] ?? ''}`, ...headers, '', layOut(response)].join('\n');
}
