/**
 * The world of scenarios: an instance with a database and one without, people, and a provider of JWTs.
 */
import { randomUUID } from 'node:crypto';
import { type Role, SCOPES } from '../../../src/domain/rights.ts';
import type { Tier } from '../../../src/domain/tiers.ts';
import type { Example } from '../../../src/http/reference/examples.ts';
import { createInvitation } from '../../../src/store/invitations.ts';
import { recordSignIn } from '../../../src/store/signIns.ts';
import { storeKey } from '../../support/callers.ts';
import { FakeSlack } from '../../support/fakeSlack.ts';
import { type ManagementToken, TOKENS, tokenContent } from '../../support/managementTokens.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { databaseEnv, makeStore, type OpenStore, signIn, storeTenant } from '../../support/tenancy.ts';
import type { Caller } from './recorder.ts';
import { Recorder } from './recorder.ts';

export interface World {
  readonly instance: Instance;
  readonly store: OpenStore;
  readonly provider: TestProvider;
  /** A receiver of webhooks. */
  readonly receiver: Receiver;
  /** An instance without a database. */
  readonly simple: Instance;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const [store, provider, simple, slack, receiver] = await Promise.all([
    makeStore(),
    startProvider(),
    startInstance(),
    new FakeSlack().start(),
    startReceiver(),
  ]);
  const webhooks = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_ALLOW_HTTP: 'true' };
  const env = { ...databaseEnv(store.url), ...webhooks, ADMINS: 'root@example.com' };
  const instance = await startInstance({ keys: [], env, slack: slack.site });
  return {
    instance,
    store,
    provider,
    receiver,
    simple,
    stop: async () => {
      const running = [instance, simple, provider, slack, receiver];
      await Promise.all(running.map((one) => one.stop()));
      await store.close();
    },
  };
}

export interface Person extends Caller {
  readonly id: string;
}

/** A scenario's tenant, its callers, and what records it. */
export interface Stage extends World {
  readonly tenant: string;
  readonly record: Recorder;
  readonly key: Caller;
  readonly readKey: Caller;
  /** A management token with all scopes. */
  readonly program: Caller;
  readonly nobody: Caller;
  readonly wrongKey: Caller;
  readonly owner: Person;
  readonly admin: Caller;
  join(name: string, role: Role, groups?: readonly string[]): Promise<Person>;
}

/** Makes a tenant, which examples call acme. @param more what else examples call by another name */
export async function makeStage(
  world: World,
  examples: Record<string, Example[]>,
  scenario: string,
  tier: Tier = 'Starter',
  more: readonly (readonly [string, string])[] = [],
): Promise<Stage> {
  const { store, instance, provider, receiver, simple } = world;
  const own = await storeTenant(store, tier);
  const { tenant } = own;
  const names = new Map([
    [`Tenant ${tenant}`, 'Acme Corp.'],
    [`user of ${tenant}`, 'anna@example.com'],
    [tenant, 'acme'],
    [instance.url, 'http://localhost:8080'],
    [provider.issuer, 'https://id.example.com'],
    [encodeURIComponent(provider.issuer), encodeURIComponent('https://id.example.com')],
    [receiver.url, 'https://hooks.example.com/holdfast'],
    [new URL(receiver.url).host, 'hooks.example.com'],
    [simple.tenant, 'local'],
    ...more,
  ]);
  const readKey = await storeKey(store, tenant, { permission: 'read' });
  const join = (name: string, role: Role, groups: readonly string[] = []) =>
    joinTenant(world, { tenant, name, role, groups });
  const owner = await join('anna', 'owner', ['lab']);
  const root = await signIn(store.redis, tenant, { email: 'root@example.com', id: randomUUID(), role: 'viewer' });
  const session = await signIn(store.redis, tenant, { email: 'anna@example.com' });
  const content = { ...tokenContent(SCOPES), label: 'automation' };
  const { token } = (await session.request<ManagementToken>(instance.url, 'POST', TOKENS, content)).body;
  return {
    ...world,
    tenant,
    record: new Recorder(examples, instance.url, scenario, names),
    key: { as: 'key', headers: { 'X-Api-Key': own.key } },
    readKey: { as: 'read key', headers: readKey },
    program: { as: 'management token', headers: { Authorization: `Bearer ${token}` } },
    nobody: { as: 'nobody', headers: {} },
    wrongKey: { as: 'wrong key', headers: { 'X-Api-Key': 'hf_acme_0000000000000000000000000000000000000000' } },
    owner,
    admin: { as: 'session', headers: { Cookie: root.cookie, Origin: instance.url } },
    join,
  };
}

interface Joining {
  readonly tenant: string;
  readonly name: string;
  readonly role: Role;
  readonly groups: readonly string[];
}

async function joinTenant({ store, instance }: World, { tenant, name, role, groups }: Joining): Promise<Person> {
  const email = `${name}@example.com`;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const person = {
    issuer: 'https://id.example.com',
    subject: `${name}-${tenant}`,
    email,
    name: title,
    groups: [...groups],
  };
  const by = { actor: 'person:anna@example.com', address: null, maker: null };
  await createInvitation(store, tenant, { id: undefined, role, of: { email }, expiresInDays: 1 }, by);
  const { userId: id } = await recordSignIn(store, person, '192.0.2.7', () => Promise.reject(new Error('no tenant')));
  const { cookie } = await signIn(store.redis, tenant, { ...person, id, role });
  return { id, as: 'session', headers: { Cookie: cookie, Origin: instance.url } };
}
