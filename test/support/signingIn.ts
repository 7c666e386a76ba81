/**
 * A dashboard, and sign-ins to it through a real identity provider. `useSigningIn` starts and stops the dashboard.
 */
import { afterAll, beforeAll } from 'vitest';
import { ask, bare } from './ask.ts';
import { type DashboardService, startDashboard } from './dashboard.ts';

export let service: DashboardService;

/** To be called at the top of a test file. */
export function useSigningIn(): void {
  beforeAll(async () => {
    service = await startDashboard();
  });
  afterAll(() => service.stop());
}

/** The origin of an instance, and the provider at which people sign in to it. */
export interface Place {
  readonly url: string;
  readonly issuer: string;
}

const placeOf = ({ one, provider }: DashboardService): Place => ({ url: one.url, issuer: provider.issuer });

/**
 * Goes as far as the provider's answer: the address that it sends the browser back to, and the cookie of the sign-in
 * that has begun.
 */
export async function signInUpTo(
  who: string,
  to?: string,
  { url: origin, issuer }: Place = placeOf(service),
): Promise<{ back: string; cookie: string }> {
  const query = to === undefined ? '' : `?${new URLSearchParams({ to })}`;
  const start = await ask(`${origin}/auth/start${query}`);
  const jar = new Map<string, string>();
  let url = `${start.to}&${new URLSearchParams({ login_hint: who })}`;
  while (url.startsWith(issuer)) {
    const answer = await ask(url, { headers: { Cookie: [...jar.values()].join('; ') } });
    for (const cookie of answer.cookies) jar.set(cookie.split('=')[0] ?? '', bare(cookie));
    if (answer.to === null) throw new Error(answer.text);
    url = new URL(answer.to, url).href;
  }
  return { back: url, cookie: bare(start.cookies[0]) };
}

export const finish = (back: string, cookie: string) => ask(back, { headers: { Cookie: cookie } });

/** Signs somebody in; gives the cookie of their session. */
export async function sessionOf(who: string, at = placeOf(service)): Promise<string> {
  const { back, cookie } = await signInUpTo(who, undefined, at);
  return bare((await finish(back, cookie)).cookies.find((one) => one.startsWith('holdfast_session=')));
}

export const tenantOf = (session: string) => /hfs_([a-z0-9-]+)_/.exec(session)?.[1] ?? '';
