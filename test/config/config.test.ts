import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configurationPage } from '../../scripts/configurationPage.ts';
import { envExample } from '../../scripts/envExample.ts';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { VARIABLES } from '../../src/config/environment.ts';
import { DESCRIBED } from '../../src/config/help.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { makeKey } from '../../src/identity/credentials.ts';

const REDIS_URL = 'redis://localhost';
const key = makeKey('acme');
const faults = (env: Record<string, string>) => {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
  return '';
};

describe('configuration', () => {
  test('has a default for all but REDIS_URL', () => {
    expect(readConfig({ REDIS_URL })).toEqual({
      host: '127.0.0.1',
      port: undefined,
      role: 'all',
      redisUrl: REDIS_URL,
      waitReplicas: 0,
      apiKeys: undefined,
      logLevel: 'info',
      logRequests: 'some',
      drainDelayMs: 3000,
      livenessRedisMs: 60_000,
      database: null,
      adminRule: { admins: [], adminGroup: undefined },
      signIn: { kind: 'none' },
      publicUrl: undefined,
      mail: null,
      vapidKey: null,
      metricsPort: undefined,
      tracesEndpoint: undefined,
      jwtIssuers: [],
      members: [],
      allowPrivateJwks: false,
      webhookRules: { allowPrivate: false, allowHttp: false },
      // Redis alone keeps less history.
      tiers: Object.fromEntries(
        Object.entries(DEFAULT_TIERS).map(([tier, limits]) => [tier, { ...limits, historyEntries: 10_000 }]),
      ),
      trustedProxies: 0,
      maxFailedAuthentications: 100,
      maxInFlight: 4096,
      maxLongPolls: 10_000,
      sizes: { ttlSeconds: 31_536_000, batch: 500, waitSeconds: 86_400, bodyBytes: 1_048_576 },
      warnings: [],
    });
  });

  test('names every fault at once, on one line', () => {
    const message = faults({ PORT: '99999', ROLE: 'boss', MAX_BATCH: '5000' });
    for (const name of ['PORT', 'ROLE', 'MAX_BATCH', 'REDIS_URL']) expect(message).toContain(name);
    expect(message).not.toContain('\n');
  });

  const KEY_SECRET = 'x'.repeat(32);
  test('takes a database, with what seals its keys', () => {
    const config = readConfig({ REDIS_URL, DATABASE_URL: 'pglite:./data', KEY_SECRET, ADMINS: ' a@b.example, sub ,' });
    expect(config.database).toEqual({ url: 'pglite:./data', pool: 10, keySecret: KEY_SECRET });
    expect(config.adminRule.admins).toEqual(['a@b.example', 'sub']);
    expect(faults({ REDIS_URL, DATABASE_URL: 'postgres://h/d' })).toContain('KEY_SECRET must be set');
    expect(faults({ REDIS_URL, DATABASE_URL: 'postgres://h/d', KEY_SECRET: 'short' })).toContain(
      'KEY_SECRET must be 32',
    );
    expect(faults({ REDIS_URL, DATABASE_URL: 'mysql://h/d', KEY_SECRET })).toContain('DATABASE_URL must begin with');
    const API_KEYS = JSON.stringify([{ key, tenant: 'acme', tier: 'Pro' }]);
    expect(faults({ REDIS_URL, DATABASE_URL: 'pglite:x', KEY_SECRET, API_KEYS })).toContain('API_KEYS must be unset');
  });

  const database = { REDIS_URL, DATABASE_URL: 'pglite:./data', KEY_SECRET };
  const provider = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'c', PUBLIC_URL: 'https://holdfast.example/' };
  test('takes an identity provider, with all that a sign-in needs', () => {
    const config = readConfig({ ...database, ...provider });
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = provider;
    const signIn = {
      kind: 'oidc',
      issuer,
      clientId,
      clientSecret: undefined,
      scope: 'openid email profile',
      cookieSecret: KEY_SECRET,
    };
    expect([config.signIn, config.publicUrl]).toEqual([signIn, 'https://holdfast.example']);
    const message = faults({ REDIS_URL, OIDC_ISSUER: provider.OIDC_ISSUER });
    for (const name of ['OIDC_CLIENT_ID', 'PUBLIC_URL', 'KEY_SECRET', 'MEMBERS'])
      expect(message).toContain(`${name} must be set`);
    expect(faults({ ...database, ...provider, OIDC_ISSUER: 'http://id.example' })).toContain(
      'OIDC_ISSUER must be an https',
    );
    expect(faults({ ...database, ...provider, PUBLIC_URL: 'https://h.example/x' })).toContain('must have no path');
  });

  test('takes a mail server, with all that messages need', () => {
    const mail = { SMTP_URL: 'smtps://u:p@mail.example', MAIL_FROM: 'holdfast@acme.example' };
    const env = { ...mail, REDIS_URL, DATABASE_URL: 'pglite:./data', KEY_SECRET, PUBLIC_URL: 'https://h.example' };
    expect(readConfig(env).mail).toEqual({ smtpUrl: mail.SMTP_URL, from: mail.MAIL_FROM });
    const message = faults({ REDIS_URL, SMTP_URL: mail.SMTP_URL });
    for (const name of ['DATABASE_URL', 'MAIL_FROM', 'PUBLIC_URL'])
      expect(message).toContain(`${name} must be set where SMTP_URL is`);
    expect(faults({ ...env, SMTP_URL: 'https://mail.example' })).toContain('SMTP_URL must be smtp://');
  });

  test('takes the key for pushes, with all that they need', () => {
    const VAPID_PRIVATE_KEY = Buffer.alloc(32, 7).toString('base64');
    const env = {
      VAPID_PRIVATE_KEY,
      REDIS_URL,
      DATABASE_URL: 'pglite:./data',
      KEY_SECRET,
      PUBLIC_URL: 'https://h.example',
    };
    expect(readConfig(env).vapidKey).toBe(VAPID_PRIVATE_KEY);
    for (const name of ['DATABASE_URL', 'PUBLIC_URL'])
      expect(faults({ REDIS_URL, VAPID_PRIVATE_KEY })).toContain(`${name} must be set where VAPID_PRIVATE_KEY is`);
    for (const wrong of ['x', Buffer.alloc(32).toString('base64'), Buffer.alloc(32, 255).toString('base64')])
      expect(faults({ ...env, VAPID_PRIVATE_KEY: wrong })).toContain('openssl rand -base64 32');
  });

  test('refuses the same port for requests and for metrics', () => {
    expect(faults({ REDIS_URL, PORT: '8080', METRICS_PORT: '8080' })).toContain('METRICS_PORT must be another port');
    expect(readConfig({ REDIS_URL, PORT: '0', METRICS_PORT: '0' }).metricsPort).toBe(0);
  });

  test('takes a local sign-in only where nobody else can call', () => {
    const LOCAL_SIGN_IN = 'true';
    const config = readConfig({ REDIS_URL, LOCAL_SIGN_IN });
    expect([config.signIn, config.adminRule.admins]).toEqual([{ kind: 'local' }, ['local']]);
    for (const more of [{ HOST: '0.0.0.0' }, { TRUSTED_PROXIES: '1' }, { ...database, ...provider }])
      expect(faults({ REDIS_URL, LOCAL_SIGN_IN, ...more })).toContain('LOCAL_SIGN_IN must not be true');
  });

  test('takes a sign-in with a key for every address, but not beside a database or a provider', () => {
    const LOCAL_SIGN_IN = 'key';
    const config = readConfig({ REDIS_URL, LOCAL_SIGN_IN, HOST: '0.0.0.0', TRUSTED_PROXIES: '1' });
    expect([config.signIn, config.adminRule.admins]).toEqual([{ kind: 'key' }, []]);
    for (const more of [database, { ...provider, KEY_SECRET }])
      expect(
        faults({ REDIS_URL, LOCAL_SIGN_IN, ...more, ...('OIDC_ISSUER' in more ? withMembers(member) : {}) }),
      ).toContain('LOCAL_SIGN_IN must not be key');
  });

  const member = { email: 'Ann@Acme.example', tenant: 'acme', role: 'operator' };
  const API_KEYS = JSON.stringify([{ key, tenant: 'acme', tier: 'Pro' }]);
  const withMembers = (...members: unknown[]) => ({ REDIS_URL, API_KEYS, MEMBERS: JSON.stringify(members) });

  test('takes MEMBERS as JSON without a database, and an identity provider with them', () => {
    const group = { group: 'lab', tenant: 'acme', role: 'member' };
    const config = readConfig({ ...withMembers(member, group), KEY_SECRET, ...provider });
    expect(config.members).toEqual([{ ...member, email: 'ann@acme.example' }, group]);
    expect(config.signIn).toMatchObject({ kind: 'oidc', cookieSecret: KEY_SECRET });
    expect(faults({ ...database, MEMBERS: JSON.stringify([member]) })).toContain('MEMBERS must be unset');
  });

  test.each([
    ['a tenant without keys', { ...member, tenant: 'another' }, 'MEMBERS.0.tenant must be a tenant of API_KEYS'],
    ['an unknown role', { ...member, role: 'boss' }, 'MEMBERS.0'],
    ['no e-mail address', { ...member, email: 'ann' }, 'MEMBERS.0'],
    ['an address and a group', { ...member, group: 'lab' }, 'MEMBERS.0 must be {email, tenant, role} or'],
  ])('refuses MEMBERS with %s', (_, value, fault) => {
    expect(faults(withMembers(value))).toContain(fault);
  });

  test('takes JWT_ISSUERS as JSON, each with an id once for a tenant', () => {
    const given = {
      tenant: 'acme',
      id: 'own',
      issuer: 'https://i.example',
      audience: 'a',
      jwksUrl: 'https://i.example/jwks',
      conditions: {},
    };
    const issuer = {
      ...given,
      permission: 'reserve',
      prefix: '',
      maxPriority: 0,
      requester: '{sub}',
      instances: false,
    };
    expect(readConfig({ REDIS_URL, JWT_ISSUERS: JSON.stringify([given]) }).jwtIssuers).toEqual([issuer]);
    expect(faults({ REDIS_URL, JWT_ISSUERS: JSON.stringify([issuer, issuer]) })).toContain('JWT_ISSUERS must not hold');
    const { conditions: _, ...lacking } = given;
    expect(faults({ REDIS_URL, JWT_ISSUERS: JSON.stringify([lacking]) })).toContain('conditions is required');
    const anybody = { ...given, issuer: 'https://gitlab.com' };
    expect(faults({ REDIS_URL, JWT_ISSUERS: JSON.stringify([anybody]) })).toContain('must have one of project_id');
    const shared = [issuer, { ...issuer, tenant: 'another' }];
    expect(readConfig({ REDIS_URL, JWT_ISSUERS: JSON.stringify(shared) }).jwtIssuers).toEqual(shared);
    expect(faults({ REDIS_URL, JWT_ISSUERS: JSON.stringify([{ ...issuer, audience: 'holdfast:another' }]) })).toContain(
      'audience must be holdfast:',
    );
  });

  test('takes API_KEYS as JSON', () => {
    const worker = { key, tenant: 'acme', tier: 'Pro', label: 'worker' };
    const limits = { permission: 'reserve', prefix: 'ci/' };
    const limited = { ...worker, key: makeKey('acme'), ...limits, expiresAt: '2027-01-31T13:00:00+01:00' };
    expect(readConfig({ REDIS_URL, API_KEYS: JSON.stringify([worker, limited]) }).apiKeys).toEqual([
      { ...worker, permission: 'full', prefix: '', expiresAt: null },
      { ...limited, expiresAt: new Date('2027-01-31T12:00:00Z') },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'API_KEYS must be JSON'],
    ['an unknown tier', [{ key, tenant: 'acme', tier: 'Gold' }], 'API_KEYS.0.tier must be one of Free, Starter,'],
    ['no tier', [{ key, tenant: 'acme' }], 'API_KEYS.0.tier is required'],
    ['no tenant', [{ key, tier: 'Pro' }], 'API_KEYS.0.tenant is required'],
    ['a key of another tenant', [{ key, tenant: 'other', tier: 'Pro' }], 'API_KEYS.0.key must name the same tenant'],
    ['a short key', [{ key: 'hf_acme_short', tenant: 'acme', tier: 'Pro' }], 'API_KEYS.0.key must be hf_<tenant id>'],
    ['an unknown permission', [{ key, tenant: 'acme', tier: 'Pro', permission: 'all' }], 'API_KEYS.0.permission'],
    ['a path as prefix', [{ key, tenant: 'acme', tier: 'Pro', prefix: 'a>' }], 'API_KEYS.0.prefix must not contain >'],
    ['a day as end', [{ key, tenant: 'acme', tier: 'Pro', expiresAt: '2027-01-31' }], 'API_KEYS.0.expiresAt must be a'],
    ['a key twice', Array(2).fill({ key, tenant: 'acme', tier: 'Pro' }), 'API_KEYS must not hold a key twice'],
    [
      'two tiers of a tenant',
      [
        { key, tenant: 'acme', tier: 'Pro' },
        { key: makeKey('acme'), tenant: 'acme', tier: 'Free' },
      ],
      'API_KEYS must give all keys of a tenant the same tier',
    ],
  ])('refuses API_KEYS with %s, and never repeats a key', (_, value, fault) => {
    const message = faults({ REDIS_URL, API_KEYS: typeof value === 'string' ? value : JSON.stringify(value) });
    expect(message).toContain(fault);
    expect(message).not.toContain(key);
  });
});

describe('every variable, and no other,', () => {
  const read = (file: string) => readFileSync(file, 'utf8');
  const GENERATE = 'the file is not current: run npm run generate';

  test('is read by src/config/config.ts', () => {
    const config = read('src/config/config.ts');
    const unread = VARIABLES.filter((name) => !new RegExp(`\\bdata\\.${name}\\b|^  ${name}: `, 'm').test(config));
    expect(unread, 'nothing reads these: add them to readConfig()').toEqual([]);
  });

  test('is in .env.example, which is current', () => {
    const named = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(named.toSorted(), GENERATE).toEqual(VARIABLES.toSorted());
    expect(read('.env.example'), GENERATE).toBe(envExample());
  });

  test('has a meaning, and .env.example has the defaults', () => {
    for (const { name, meaning } of DESCRIBED.flatMap(({ variables }) => variables))
      expect(meaning, `${name}: end each sentence of its describe() with a full stop`).toMatch(/\.|\}\]?$|TLS/);
    const example = Object.fromEntries(
      [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(readConfig({ ...example, REDIS_URL })).toEqual(readConfig({ REDIS_URL }));
  });

  test('of the production block of .env.example makes a valid configuration without warnings', () => {
    const lines = [...read('.env.example').matchAll(/^# {3}([A-Z_]+)=(.*)$/gm)];
    const block = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
    const config = readConfig({ ...block, KEY_SECRET: 'x'.repeat(32) });
    expect([config.signIn.kind, config.database !== null, config.warnings]).toEqual(['oidc', true, []]);
  });

  test('is in docs/configuration.md, which is current', () => {
    const page = read('docs/configuration.md');
    const headings = [...page.matchAll(/^### `([A-Z_]+)`$/gm)].map(([, name]) => name);
    expect(headings.toSorted(), GENERATE).toEqual(VARIABLES.toSorted());
    expect(page, GENERATE).toBe(configurationPage());
  });
});
