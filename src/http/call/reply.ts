/**
 * The reply of an operation, before it becomes a response.
 */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { HoldfastError } from '../../domain/errors.ts';
import { type Charged, type Quota, WINDOW_S } from '../../domain/quota.ts';
import type { Call } from './call.ts';
import { commonHeaders, type Fields, type Forms } from './requestId.ts';

export interface Reply {
  readonly status: number;
  readonly body: string | ReadableStream | null;
  /** Those that not every response has. */
  readonly headers: Fields;
}

export const NONE: Fields = {};
/** The header of a response that was kept for a repeat. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';
const REPLAYED: Fields = { [REPLAYED_HEADER]: 'true' };

/** The reply of an operation that wrote its response itself. */
export const SENT: Reply = { status: 200, body: null, headers: NONE };

export const json = (value: unknown, status = 200, headers = NONE): Reply => ({
  status,
  body: JSON.stringify(value),
  headers,
});

/** Replies with the result of an operation, and with what is left of the caller's quota. */
export function charged({ result, quota, isReplayed }: Charged<unknown>, call: Call, status = 200, headers = NONE) {
  call.quota = quota;
  return json(result, status, isReplayed ? { ...headers, ...REPLAYED } : headers);
}

/** Replies likewise, with the result in another form. */
export const chargedAs =
  <Result, Of extends Call>(form: (result: Result, call: Of) => unknown) =>
  ({ result, ...done }: Charged<Result>, call: Of): Reply =>
    charged({ ...done, result: form(result, call) }, call);

/** For an operation that makes its reply itself. */
export const asIs = (reply: Reply): Reply => reply;

/**
 * Makes the response. Its headers are a plain object and given at once: any other form makes node-server convert them,
 * which takes a fifth of a request's time.
 */
export function respond(call: Call, reply: Reply): Response {
  if (reply === SENT) return RESPONSE_ALREADY_SENT;
  const { status, body, headers } = reply;
  const all = withOwn(commonHeaders(call.path).json, call);
  return new Response(body, { status, headers: headers === NONE ? all : Object.assign({}, all, headers) });
}

/** The headers of every response to a call: its id, and the remaining quota. */
export const headersOf = (call: Call): Fields => withOwn(commonHeaders(call.path).plain, call);

function withOwn(forms: Forms, { requestId, error, quota }: Call): Fields {
  const left = error instanceof HoldfastError && error.quota.length > 0 ? error.quota : quota;
  if (left.length === 0) return { ...forms.free, 'X-Request-Id': requestId };
  if (made.of !== left) made = { of: left, ...quotaTexts(left) };
  return { ...forms.limited, 'X-Request-Id': requestId, 'RateLimit-Policy': made.policy, RateLimit: made.rest };
}

/** The last texts made: requests of a batch have the same quota, and are answered one after the other. */
let made: { readonly of: readonly Quota[]; readonly policy: string; readonly rest: string } = {
  of: [],
  policy: '',
  rest: '',
};

/**
 * Writes the remaining quota for the IETF's headers RateLimit-Policy and RateLimit (docs/specification.md#limits).
 */
const quotaTexts = (quota: readonly Quota[]) => ({
  policy: quota.map(({ limitType, limit }) => `"${limitType}";q=${limit};w=${WINDOW_S[limitType]}`).join(', '),
  rest: quota.map(({ limitType, remaining, resetS }) => `"${limitType}";r=${remaining};t=${resetS}`).join(', '),
});
