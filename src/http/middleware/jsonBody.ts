/**
 * Reads a request's body: at most so many bytes, JSON by its media type, and valid UTF-8, of which the usual decoding would
 * silently make something else. The route's schema then parses the text.
 */
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { actFor } from '../actFor.ts';
import type { AppEnv } from '../env.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export const jsonBody = (maxBytes: number) => {
  const error = `The request body is larger than ${maxBytes} bytes.`;
  // What is left of it is not read, so no other request can follow it.
  const tooLarge = () => Response.json({ error }, { status: 413, headers: { Connection: 'close' } });
  const limitUndeclared = bodyLimit({ maxSize: maxBytes, onError: tooLarge });
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!JSON_TYPE.test(c.req.header('Content-Type') ?? '')) {
      return c.json({ error: 'The request body must be application/json.' }, 415);
    }
    const decode = async () => {
      const bytes = await c.req.raw.arrayBuffer();
      let text: string;
      try {
        text = utf8.decode(bytes);
      } catch {
        return c.json('the request body must be valid UTF-8', 400);
      }
      // Where c.req.text() looks first; it keeps promises there.
      Object.assign(c.req.bodyCache, { text: Promise.resolve(asSubject(text, c.get('credential')?.subject)) });
      await next();
    };
    const length = c.req.header('Content-Length');
    if (length === undefined)
      return limitUndeclared(c, async () => {
        const answer = await decode();
        if (answer !== undefined) c.res = answer;
      });
    return Number(length) > maxBytes ? tooLarge() : decode();
  });
};

/** The text, with requesters filled in where a derived token asks; what is no JSON is left for the route to refuse. */
function asSubject(text: string, subject: string | undefined): string {
  if (subject === undefined) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  return JSON.stringify(actFor(subject, body));
}
