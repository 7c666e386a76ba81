/**
 * Requests to the dashboard as a browser sends them, except that they follow no redirects.
 */

interface Page {
  readonly status: number;
  readonly to: string | null;
  readonly cookies: readonly string[];
  readonly headers: Headers;
  readonly text: string;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    to: response.headers.get('location'),
    cookies,
    headers: response.headers,
    text: await response.text(),
  };
}

/** A cookie without its attributes, as the Cookie header takes it. */
export const bare = (cookie: string | undefined) => cookie?.split(';')[0] ?? '';
