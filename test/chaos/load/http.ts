/** Sends one request over connections that are kept, and says what came of it. */
import { type Agent, request } from 'undici';

export interface Ask {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Answer =
  | { readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, unknown>> }
  /** No whole response came; `text` says why. */
  | { readonly status: null; readonly text: string };

/**
 * Sends a request. It is sent once: it is not repeated where a connection breaks.
 * @param withinMs it is given up, and its connection closed, after so many ms
 */
export async function send(agent: Agent, { url, method, headers, body }: Ask, withinMs: number): Promise<Answer> {
  try {
    const response = await request(url, {
      dispatcher: agent,
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
    return { status: response.statusCode, text: await response.body.text(), headers: response.headers };
  } catch (error) {
    return { status: null, text: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
