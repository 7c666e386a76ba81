/**
 * Registrations of issuers: whose JWTs they admit, what their tokens may do, and when these end
 * (docs/specification.md#jwt-exchange).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { jwtIssuers } from '../../src/store/issuersSchema.ts';
import { jwks, makeSigner, sign, useJwks } from '../support/jwt.ts';
import { startProvider } from '../support/provider.ts';
import { exchange, freshAudience, freshId, issued, jwtOf, RESERVE, register } from '../support/registrations.ts';
import { signIn, storeTenant } from '../support/tenancy.ts';
import {
  exchange as exchangeAt,
  one,
  other,
  register as registerIssuer,
  session,
  starter,
  store,
  useTokens,
  withToken,
} from '../support/tokens.ts';

useTokens();
useJwks();

describe('a JWT is exchanged', () => {
  test('if its claims meet the conditions; else it is told on which it fails', async () => {
    const audience = freshAudience();
    await register(audience, { id: 'ours', conditions: { repository_id: '4711', ref: ['main', 'release/*'] } });
    const main = { repository_id: 4711, ref: 'main' };
    expect(await exchange(await jwtOf(audience, main))).toMatchObject({ status: 200, body: { issuer: 'ours' } });
    expect((await exchange(await jwtOf(audience, { ...main, ref: 'release/2' }))).status).toBe(200);
    const { status, body } = await exchange(await jwtOf(audience, { ...main, ref: 'evil' }));
    expect([status, body.error]).toEqual([401, 'The JWT does not meet the conditions of the issuer "ours" on ref.']);
    expect((await exchange(await jwtOf(audience))).body.error).toMatch(/on (repository_id, ref|ref, repository_id)\.$/);
  });

  test.each<[string, Record<string, unknown>, number]>([
    ['as numbers and in arrays', { id: [1, { id: 4711 }, 4711], ref: ['x', 'release/1'] }, 200],
    ['nested in an object', { id: { id: 4711 }, ref: 'main' }, 401],
    ['nested in an array', { id: [[4711]], ref: 'main' }, 401],
    ['missing', { ref: 'main' }, 401],
    ['empty', { id: 4711, ref: '' }, 401],
    ['in arrays that are empty', { id: 4711, ref: [] }, 401],
    ['null', { id: 4711, ref: null }, 401],
    ['with the * of the condition', { id: 4711, ref: '*' }, 401],
    ['beside the * of the condition', { id: 4711, ref: 'release' }, 401],
    ['in letters that look alike', { id: 4711, ref: 'm\u0430in' }, 401],
    ['with something behind it', { id: 4711, ref: 'main\n' }, 401],
  ])('or not, with claims %s: %j answers %i', async (_, claims, status) => {
    const audience = freshAudience();
    await register(audience, { conditions: { id: '4711', ref: ['main', 'release/*'] } });
    expect((await exchange(await jwtOf(audience, claims))).status).toBe(status);
  });

  test('by the registration that it matches, whichever was made first', async () => {
    const audience = freshAudience();
    const [a, b] = [freshId(), freshId()];
    await register(audience, { id: a, conditions: { team: 'a' }, prefix: 'a/' });
    await register(audience, { id: b, conditions: { team: 'b' }, prefix: 'b/' });
    for (const [team, id] of [
      ['a', a],
      ['b', b],
    ])
      expect((await exchange(await jwtOf(audience, { team }))).body.issuer).toBe(id);
    const { status, body } = await exchange(await jwtOf(audience, { team: 'c' }));
    expect([status, body.error]).toEqual([401, 'The JWT meets the conditions of no registration of its issuer.']);
  });

  test('never by one of several that it matches: it must say which one it means', async () => {
    const audience = freshAudience();
    const [a, b] = [freshId(), freshId()];
    await register(audience, { id: a, permission: 'read' });
    await register(audience, { id: b, conditions: { team: 'b' } });
    const jwt = await jwtOf(audience, { team: 'b' });
    expect((await exchange(jwt)).body.error).toMatch(/matches several registrations .* send the id .* as "issuer"/);
    for (const id of [a, b]) expect((await exchange(jwt, { issuer: id })).body.issuer).toBe(id);
    // The id does not stand in for the conditions.
    expect((await exchange(await jwtOf(audience, { team: 'c' }), { issuer: b })).status).toBe(401);
    expect((await exchange(jwt, { issuer: 'unknown' })).body.error).toMatch(/no issuer .* registered with this id/);
    expect((await exchange(jwt, { issuer: 'not an id' })).status).toBe(400);
  });

  test('by one of another tenant: never, whatever id it names', async () => {
    const audience = freshAudience();
    const stranger = await storeTenant(store, 'Starter');
    const id = freshId();
    await register(audience, { id }, await signIn(store.redis, stranger.tenant));
    const jwt = await jwtOf(audience);
    expect((await exchange(jwt, { issuer: id })).status).toBe(401);
    expect((await exchangeAt(jwt, one, stranger.tenant, { issuer: id })).status).toBe(200);
  });

  test('by the registration whose keys signed it, if others of the issuer have other keys', async () => {
    const audience = freshAudience();
    const another = await startProvider();
    const [right, wrong] = [freshId(), freshId()];
    await register(audience, { id: wrong, jwksUrl: another.jwksUrl });
    await register(audience, { id: right });
    const jwt = await jwtOf(audience);
    expect((await exchange(jwt)).body.issuer).toBe(right);
    expect((await exchange(jwt, { issuer: wrong })).body.error).toMatch(/signed by no key|signature/);
    // If the keys of one are away, nobody knows whether it matches, too.
    await register(audience, { id: freshId(), jwksUrl: 'http://127.0.0.1:1/keys' });
    expect((await exchange(jwt)).status).toBe(503);
    expect((await exchange(jwt, { issuer: right })).status).toBe(200);
    await another.stop();
  });

  test('and nothing of the registrations is told before its signature is verified', async () => {
    const audience = freshAudience();
    await register(audience, { id: 'secret-id', conditions: { team: 'a' }, instances: true });
    const jwt = await jwtOf(audience, { team: 'b' });
    const [head, , signature] = jwt.split('.');
    const forge = (claims: object) =>
      `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
    const claims: Record<string, unknown> = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    const told = [];
    for (const team of ['a', 'c']) told.push((await exchange(forge({ ...claims, team }))).body.error);
    expect(new Set(told)).toEqual(new Set(['The JWT has a signature that is not the issuer’s.']));
  });
});

describe('the requester', () => {
  test('is in the response, and is the only one that the token acts for', async () => {
    const claims = { repository: 'acme/app', run_id: 12 };
    const { token, requester } = await issued({ requester: '{repository}#{run_id}' }, claims);
    expect(requester).toBe('acme/app#12');
    const call = withToken(token, other);
    expect((await call('POST', RESERVE, [{ resource: freshId() }])).body).toMatchObject([
      { requester, status: 'ACQUIRED' },
    ]);
    expect((await call('POST', RESERVE, [{ resource: freshId(), requester: 'acme/app#13' }])).status).toBe(403);
  });

  test.each([
    ['is missing', {}],
    ['is empty', { run_id: '' }],
    ['is an array', { run_id: ['12'] }],
    ['would make it a person', { run_id: 'person:ann@acme.example' }],
    ['would make it the service', { run_id: 'system:Ink' }],
    ['is too long', { run_id: 'x'.repeat(257) }],
  ])('of a JWT whose claim %s: 401', async (_, claims) => {
    const audience = freshAudience();
    await register(audience, { requester: '{run_id}' });
    expect((await exchange(await jwtOf(audience, claims))).status).toBe(401);
  });

  test('of a Kubernetes service account takes a template: alone it would be the service', async () => {
    const audience = freshAudience();
    const subject = 'system:serviceaccount:ci:runner';
    await register(audience, {});
    expect((await exchange(await jwtOf(audience, {}, subject))).body.error).toContain('must not start with system:');
    await register(audience, { requester: 'k8s/{sub}' });
    expect((await exchange(await jwtOf(audience, {}, subject))).body.requester).toBe(`k8s/${subject}`);
  });
});

describe('a registration with instances', () => {
  test('asks for one: 400 without', async () => {
    const audience = freshAudience();
    await register(audience, { id: 'jobs', instances: true });
    const { status, body } = await exchange(await jwtOf(audience));
    expect([status, body]).toEqual([400, 'instance is required: the issuer "jobs" tells jobs apart by it']);
  });

  test.each(['short', 'k'.repeat(33), 'K3V9X0Q2MWD7', 'k3v9x0q2mw.d', ''])('takes no %j', async (instance) => {
    const { status, body } = await exchange('a.b.c', { instance });
    expect([status, body]).toEqual([400, 'instance must be 10 to 32 of a-z and 0-9']);
  });

  test('gives each job a requester, which a second exchange gives again: it renews and releases', async () => {
    const audience = freshAudience();
    await register(audience, { instances: true });
    const [mine, another] = ['k3v9x0q2mwd7', 'aaaaaaaaaa1'];
    const first = (await exchange(await jwtOf(audience), { instance: mine })).body;
    expect(first.requester).toBe(`ci.${mine}`);
    const resource = freshId();
    const reserve = (token: string) =>
      withToken(token)<ReserveResult[]>('POST', RESERVE, [{ resource, ttlSeconds: 60 }]);
    const [held] = (await reserve(first.token)).body;
    const other = (await exchange(await jwtOf(audience), { instance: another })).body;
    expect((await reserve(other.token)).body).toMatchObject([{ status: 'ALREADY_HELD' }]);
    const again = (await exchange(await jwtOf(audience), { instance: mine })).body;
    expect(again.requester).toBe(first.requester);
    const release = [{ resource, releaseToken: held?.releaseToken }];
    expect((await withToken(again.token)('POST', '/api/v1/Reservation/unreserve', release)).body).toMatchObject([
      { status: 'RELINQUISHED' },
    ]);
  });

  test('is not needed to name one: it has no effect', async () => {
    expect((await issued({}, {}, { instance: 'k3v9x0q2mwd7' })).requester).toBe('ci');
  });
});

describe('what a token may do', () => {
  test('with the permission read: it reads, and changes nothing', async () => {
    const { token } = await issued({ permission: 'read' });
    const call = withToken(token, other);
    expect((await call('GET', '/api/v1/Resource/tree')).status).toBe(200);
    expect((await call('GET', '/api/v1/Resource/definitions')).status).toBe(200);
    expect(await call('POST', RESERVE, [{ resource: 'a' }])).toMatchObject({
      status: 403,
      body: { error: 'This needs the right "reserve", which this key, token or role does not have.' },
    });
  });

  test('with a prefix: it changes only names that start with it, as a key does', async () => {
    const { token } = await issued({ prefix: 'ci/' });
    const call = withToken(token);
    expect((await call('POST', RESERVE, [{ resource: `ci/${freshId()}` }])).body).toMatchObject([
      { status: 'ACQUIRED' },
    ]);
    for (const [path, body] of [
      [RESERVE, [{ resource: 'prod' }]],
      [RESERVE, [{ resource: 'ci' }]],
      [RESERVE, [{ resource: 'ci/x>prod' }]],
      [
        '/api/v1/Reservation/transaction',
        { method: 'FIRST', requests: [{ requestType: 'RESERVE', resource: 'prod', ttlSeconds: 5 }] },
      ],
      ['/api/v1/Reservation/cancel', [{ resource: 'prod' }]],
    ] as const) {
      const { status, body: told } = await call('POST', path, body);
      expect([path, status, JSON.stringify(told)]).toEqual([
        path,
        403,
        expect.stringMatching(/this token may change no/),
      ]);
    }
  });

  test('it never resets, registers, deletes or administers', async () => {
    const call = withToken((await issued({})).token);
    for (const [method, path, body] of [
      ['POST', '/api/v1/Reservation/reset', undefined],
      ['POST', '/api/v1/Resource/register', [{ name: 'x' }]],
      ['DELETE', '/api/v1/Resource/x', undefined],
      ['GET', '/api/v1/Tenant', undefined],
      ['GET', '/api/v1/Tenant/issuers', undefined],
    ] as const)
      expect([path, (await call(method, path, body)).status]).toEqual([path, 403]);
  });

  test('it waits with the priority of its registration at most, and of the tenant', async () => {
    const { token } = await issued({ maxPriority: 40 });
    const resource = freshId();
    await withToken((await issued({}, {}, {})).token)('POST', RESERVE, [{ resource }]);
    const wait = async (priority: number) =>
      (await withToken(token)('POST', RESERVE, [{ resource: freshId(), waitSeconds: 1, priority, ttlSeconds: 5 }]))
        .body;
    expect(await wait(40)).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(await wait(41)).toBe('[0].priority must be at most 40 with this token');
    await session.request(one.url, 'PUT', '/api/v1/Tenant/settings', { maxPriority: 7 });
    expect(await wait(8)).toBe('[0].priority must be at most 7 with this token');
    await session.request(one.url, 'PUT', '/api/v1/Tenant/settings', { maxPriority: 100 });
  });
});

describe('a public issuer', () => {
  const GITLAB = 'https://gitlab.com';
  const AUDIENCE = 'holdfast-ci';
  beforeAll(async () => {
    jwks.published = [...jwks.published, (await makeSigner('RS256', 'another')).jwk];
  });
  const put = (fields: object) => registerIssuer(session, AUDIENCE, { issuer: GITLAB, jwksUrl: jwks.url, ...fields });

  test('is refused without an id that is never used again: the answer names them', async () => {
    expect(await put({ conditions: { project_path: 'acme/app' } })).toMatchObject({
      status: 400,
      body: expect.stringMatching(/^conditions must have one of project_id, namespace_id, without \*/),
    });
  });

  test('admits nobody by a registration from before it was known as one', async () => {
    const row = {
      issuer: GITLAB,
      audience: AUDIENCE,
      jwksUrl: jwks.url,
      conditions: {},
      permission: 'reserve',
    } as const;
    const more = { prefix: '', maxPriority: 0, requester: '{sub}', instances: false };
    await store.database.run((db) =>
      db.insert(jwtIssuers).values({ tenantId: starter.tenant, id: 'old', ...row, ...more }),
    );
    const jwt = await sign({ iss: GITLAB, aud: AUDIENCE, sub: 'mallory' });
    expect((await exchange(jwt)).body.error).toContain('does not meet the conditions of the issuer "old"');
    expect((await put({ id: 'old', conditions: { project_id: '42' } })).status).toBe(200);
    expect((await exchange(jwt)).status).toBe(401);
    expect((await exchange(await sign({ iss: GITLAB, aud: AUDIENCE, project_id: '42' }))).status).toBe(200);
  });
});
