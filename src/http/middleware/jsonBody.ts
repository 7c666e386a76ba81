/**
 * Takes a request's body: at most so many bytes, JSON by its media type, and valid UTF-8, of which the usual decoding
 * would silently make something else; fills in what a derived token leaves out, and holds it against its schema. The
 * library's own validation, by a promise a step, takes a single reserve 5 µs longer, a twelfth of all its time: so
 * routes are hidden from it, and their bodies documented apart.
 */
import type { OpenAPIHono, RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Sizes } from '../../domain/sizes.ts';
import { actFor } from '../actFor.ts';
import { BODY_TIMEOUT, bodyTooLarge, OVERLOADED } from '../admission.ts';
import { BodyError } from '../arrivals.ts';
import type { AppEnv } from '../env.ts';
import { fail, refuse, refuseMalformed } from '../errors.ts';
import { hasMoreValues } from '../jsonValues.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const NOTHING = Buffer.alloc(0);

/** Smaller bodies take no time worth saving. */
const COUNTED_FROM_BYTES = 16_384;
/** More than any item of a request has, besides the names that it blocks. */
const MOST_FIELDS = 20;

/** What is left of a body is not read, so no other request can follow it. */
const CLOSE = { Connection: 'close' };

/** Sets `body` to what the schema makes of it. */
export const jsonBody = <Schema extends z.ZodType>(schema: Schema, { bodyBytes, batch, blocks }: Sizes) => {
  const mostValues = batch * (blocks + MOST_FIELDS);
  return createMiddleware<AppEnv & { Variables: { body: z.output<Schema> } }>(async (c, next) => {
    if (!JSON_TYPE.test(c.req.header('Content-Type') ?? ''))
      return fail(c, 415, 'UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.');
    if (Number(c.req.header('Content-Length') ?? 0) > bodyBytes) return tooLarge(c, bodyBytes);

    const { incoming } = c.env;
    let bytes: Uint8Array = incoming.rawBody ?? NOTHING;
    if (incoming.readBody !== undefined) {
      const read = incoming.readBody(c.get('credential')?.tenant, bodyBytes);
      const body = await bodyOrFailure(c, bodyBytes, read);
      if (body instanceof Response) return body;
      bytes = body;
    }
    if (bytes.length > bodyBytes) return tooLarge(c, bodyBytes);
    if (bytes.length > COUNTED_FROM_BYTES && hasMoreValues(bytes, mostValues))
      return refuse(c, `the request body must hold at most ${batch} items`);

    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      return refuse(c, 'the request body must be valid UTF-8');
    }
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return refuse(c, 'the request body must be valid JSON');
    }
    const subject = c.get('credential')?.subject;
    const { data, error } = schema.safeParse(subject === undefined ? json : actFor(subject, json, batch));
    if (error !== undefined) return refuseMalformed(c, error);
    c.set('body', data);
    await next();
  });
};

const tooLarge = (c: Context, maxBytes: number) => fail(c, 413, 'BODY_TOO_LARGE', bodyTooLarge(maxBytes), CLOSE);

/** Waits for a body. @returns the body, or the answer to a request whose body did not come */
export async function bodyOrFailure(c: Context, maxBytes: number, body: Promise<Buffer>): Promise<Buffer | Response> {
  try {
    return await body;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    switch (error.fault) {
      case 'BODY_TOO_LARGE':
        return tooLarge(c, maxBytes);
      case 'BODY_TIMEOUT':
        return fail(c, 408, error.fault, BODY_TIMEOUT, CLOSE);
      case 'OVERLOADED':
        return fail(c, 503, error.fault, OVERLOADED, { 'Retry-After': '1' });
      case 'GONE':
        // Nobody reads it.
        return refuse(c, 'the request body did not arrive whole');
    }
  }
}

/** Documents an operation that jsonBody takes the body of. */
export function documentBody(app: OpenAPIHono<AppEnv>, route: RouteConfig, schema: z.ZodType): void {
  const { middleware: _, hide: __, request, ...documented } = route;
  const body = { required: true, content: { 'application/json': { schema } } };
  app.openAPIRegistry.registerPath({ ...documented, request: { ...request, body } });
}
