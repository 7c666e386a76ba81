/**
 * Pages about bookings, as browsers without scripts see them, and the forms that they send: a service with resources
 * that can be booked. `useBookingPages` starts and stops it.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SessionUser } from '../../src/engine/tenant/signIns.ts';
import { ask } from './ask.ts';
import { type Client, createClient } from './client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';
import { signIn } from './tenancy.ts';

const tenant = makeTenant();
const key = makeConfiguredKey(tenant, 'lab');

export const HOUR = 3_600_000;
/** The next full hour. */
export const FULL = Math.ceil(Date.now() / HOUR) * HOUR;
/** A time of the form, in hours from the next full hour. */
export const at = (hours: number) => new Date(FULL + hours * HOUR).toISOString();
export const typed = (hours: number) => at(hours).slice(0, 16);

export let one: Instance;
export let client: Client;

/** To be called at the top of a test file. */
export function useBookingPages(): void {
  beforeAll(async () => {
    one = await startInstance({ keys: [key] });
    client = createClient(one.url, key.key);
    await client.register(
      { name: 'pixel-8', bookable: true, labels: { os: 'android', site: 'berlin' } },
      { name: 'pixel-7', bookable: true, labels: { os: 'android', site: 'berlin' } },
      { name: 'rigs', bookable: true, capacity: 2 },
      { name: 'desk' },
    );
  });
  afterAll(() => one.stop());
  beforeEach(async () => {
    for (const resource of ['pixel-8', 'pixel-7', 'rigs']) await send('/booking/cancel/all', { resource }, OPERATOR);
    await client.reset();
  });
}

export const BO = { role: 'member', email: 'bo@lab.example', subject: 'bo' } as const;
export const CAT = { role: 'member', email: 'cat@lab.example', subject: 'cat' } as const;
export const OPERATOR = { role: 'operator', email: 'op@lab.example', subject: 'op' } as const;
type User = Partial<SessionUser>;

const cookieOf = async (user: User) => (await signIn(one.redis, tenant, user)).cookie;
export const see = async (path: string, user: User = BO) =>
  ask(`${one.url}/dashboard${path}`, { headers: { Cookie: await cookieOf(user) } });
export const send = async (path: string, fields: Record<string, string>, user: User = BO) =>
  ask(`${one.url}/dashboard${path}`, {
    method: 'POST',
    headers: { Cookie: await cookieOf(user), Origin: one.url },
    body: new URLSearchParams(fields),
  });
export const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')
    .trim();
export const linksTo = (html: string, page: string) =>
  [...html.matchAll(/href="([^"]*)"/g)]
    .map(([, to = '']) => to.replaceAll('&amp;', '&').replace('/dashboard', ''))
    .filter((to) => to.startsWith(page));

/** What a browser without scripts sends of the text fields of a page. */
export const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input(?![^>]*type="(?:checkbox|radio)")[^>]* name="([^"]*)"[^>]*>/g)].map(
      ([field, name = '']) => [name, / value="([^"]*)"/.exec(field)?.[1]?.replaceAll('&amp;', '&') ?? ''],
    ),
  );

/** Books in the form, from one hour to another. */
export const book = (fields: Record<string, string>, from: number, to: number, user: User = BO) =>
  send('/book', { start: typed(from), end: typed(to), ...fields }, user);

interface Listed {
  readonly booking: string;
  readonly requester: string;
  readonly start: string;
  readonly end: string;
  readonly note: string | null;
  readonly slot: string;
}
export const bookings = async () => (await client.request<Listed[]>('GET', '/api/v1/Booking')).body;
export const [BOOKED_BY_BO, RIG] = [{ resource: 'pixel-8', note: 'demo' }, { resource: 'rigs' }];
