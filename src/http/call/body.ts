/**
 * Reads and validates a request's JSON body: its media type, its size, UTF-8 (which the usual decoding would silently
 * repair), the requester that a derived token implies, and its schema.
 */
import type { z } from 'zod';
import { MAX_BLOCKS, type Sizes } from '../../domain/maxSizes.ts';
import { yieldToLoop } from '../../engine/pace.ts';
import { BodyError } from '../admission/arrivals.ts';
import { BODY_TIMEOUT, bodyTooLarge, OVERLOADED } from '../admission/readyResponses.ts';
import { malformed, misfit, Refusal } from '../errors.ts';
import { actFor } from './actFor.ts';
import type { Call } from './call.ts';
import { takeIdempotency } from './idempotency.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const NOTHING = Buffer.alloc(0);

/** Bytes from which the values of a body are counted before it is parsed. Smaller bodies parse fast enough. */
const COUNTED_FROM_BYTES = 16_384;
/** Bytes from which a body has an iteration of the event loop to itself: some 50 items, about half a millisecond. */
const YIELD_FROM_BYTES = 4096;
/** Maximum number of values of an item, apart from its blockers: more than any item of a request has. */
const MAX_FIELDS = 20;

/** The rest of the body is not read, so the connection cannot carry another request. */
const CLOSE = { Connection: 'close' };

export interface BodyRules<Body> {
  readonly schema: z.ZodType<Body>;
  readonly sizes: Sizes;
  /** Fills in the requester that a derived token implies. */
  readonly fillRequester?: typeof actFor | undefined;
  /** True if the request may have an Idempotency-Key. */
  readonly isRepeatable?: boolean | undefined;
}

/**
 * Sets `body` to the schema's output, and `idempotency`.
 * @returns undefined for small bodies, which have arrived: there is nothing to wait for
 * @throws Refusal; HoldfastError forbidden if an item names another requester than a token's subject
 */
export function takeBody<Body>(rules: BodyRules<Body>, call: Call<Body>): Promise<void> | undefined {
  const { bodyBytes } = rules.sizes;
  const { headers, readBody, rawBody = NOTHING } = call.incoming;
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.');
  if (Number(headers['content-length'] ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
  if (readBody !== undefined)
    return wholeBody(readBody(call.tenant, bodyBytes), bodyBytes).then((bytes) => takeLater(rules, call, bytes));
  if (rawBody.length > YIELD_FROM_BYTES) return takeLater(rules, call, rawBody);
  takeBytes(rules, call, rawBody);
  return undefined;
}

async function takeLater<Body>(rules: BodyRules<Body>, call: Call<Body>, bytes: Uint8Array): Promise<void> {
  if (bytes.length > YIELD_FROM_BYTES && bytes.length <= rules.sizes.bodyBytes) await yieldToLoop();
  takeBytes(rules, call, bytes);
}

function takeBytes<Body>(rules: BodyRules<Body>, call: Call<Body>, bytes: Uint8Array): void {
  const { schema, sizes, fillRequester = actFor, isRepeatable } = rules;
  const { bodyBytes, batch } = sizes;
  if (bytes.length > bodyBytes) throw tooLarge(bodyBytes);
  if (bytes.length > COUNTED_FROM_BYTES && hasMoreValues(bytes, batch * (MAX_BLOCKS + MAX_FIELDS)))
    throw malformed('the request body holds too many values: send fewer items at a time');
  const json = parse(decode(bytes));
  const { subject } = call;
  const filled = subject === undefined ? json : fillRequester(subject, json, batch);
  const { data, error } = schema.safeParse(filled);
  if (error !== undefined) throw misfit(error);
  if (isRepeatable) takeIdempotency(call, filled);
  call.body = data;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('the request body must be valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('the request body must be valid JSON');
  }
}

const tooLarge = (maxBytes: number) => new Refusal(413, 'BODY_TOO_LARGE', bodyTooLarge(maxBytes), CLOSE);

/** Waits for a body. @throws Refusal if it does not arrive */
export async function wholeBody(body: Promise<Buffer>, maxBytes: number): Promise<Buffer> {
  try {
    return await body;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    switch (error.fault) {
      case 'BODY_TOO_LARGE':
        throw tooLarge(maxBytes);
      case 'BODY_TIMEOUT':
        throw new Refusal(408, error.fault, BODY_TIMEOUT, CLOSE);
      case 'OVERLOADED':
        throw new Refusal(503, error.fault, OVERLOADED, { 'Retry-After': '1' });
      case 'GONE':
        // The client has gone: nobody reads this response.
        throw malformed('the request body did not arrive whole');
    }
  }
}

/**
 * Counts the values in the text of a JSON document without parsing it: 350,000 empty objects fit into 1 MiB, and
 * parsing them takes the time of a thousand requests.
 */
/** Counted without parsing: 350,000 empty objects fit into 1 MiB, and parsing them takes the time of 1,000 requests. */
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/** @returns whether the text of a JSON document has more than `max` values, objects and arrays included */
function hasMoreValues(json: Uint8Array, max: number): boolean {
  let count = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++count > max) {
      return true;
    }
  }
  return false;
}
