/**
 * What is accepted as an end user's JWT (docs/specification.md#identity), and where keys are fetched from.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { base64url, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { HoldfastError } from '../../src/domain/errors.ts';
import { jwksAddressFault } from '../../src/identity/jwks.ts';
import { JwtVerifier, type TrustedIssuer } from '../../src/identity/jwtVerifier.ts';

const ISSUER = 'https://id.example';
const AUDIENCE = 'holdfast:acme';
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

type Signer = Awaited<ReturnType<typeof makeSigner>>;

async function makeSigner(alg: string, kid?: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), alg, ...(kid === undefined ? {} : { kid }) };
  return { privateKey, jwk };
}

let published: JWK[] = [];
let fetches = 0;
let connections = 0;
let answer: (response: ServerResponse) => void;
const answerKeys = (response: ServerResponse) => void response.end(JSON.stringify({ keys: published }));
let server: Server;
let jwksUrl = '';
let good: Signer;
beforeAll(async () => {
  good = await makeSigner('RS256', 'good');
  server = createServer((_, response) => {
    fetches += 1;
    answer(response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  jwksUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/keys`;
  answer = answerKeys;
  published = [good.jwk];
});
afterAll(() => void server.close());

const trusted = (audience = AUDIENCE, tenant = 'acme'): TrustedIssuer => ({
  tenant,
  issuer: ISSUER,
  audience,
  jwksUrl,
});

/** A verifier that has fetched nothing yet. */
const makeVerifier = (issuers: readonly TrustedIssuer[] = [trusted()], allowPrivate = true) =>
  new JwtVerifier(
    async (tenant, issuer, audiences) =>
      issuers.filter((one) => one.tenant === tenant && one.issuer === issuer && audiences.includes(one.audience)),
    { allowPrivate },
  );

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;
const CLAIMS = () => ({ iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: seconds(300) });

/** A JWT that is good but for what is given; undefined takes a claim away. */
const sign = (
  claims: Record<string, unknown> = {},
  { signer = good, header = {} }: { signer?: Signer; header?: Partial<JWTHeaderParameters> } = {},
) =>
  new SignJWT({ ...CLAIMS(), ...claims })
    .setProtectedHeader({ alg: signer.jwk.alg ?? '', ...(signer.jwk.kid ? { kid: signer.jwk.kid } : {}), ...header })
    .sign(signer.privateKey);

/** Puts a JWT together without signing it. */
const assemble = (header: unknown, claims: unknown, signature = '') =>
  `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}.${signature}`;

const refusal = async (jwt: string, verifier = makeVerifier(), tenant?: string) => {
  const error: unknown = await verifier.verify(jwt, tenant).then(
    (verified) => new Error(`accepted: ${JSON.stringify(verified)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof HoldfastError)) throw error;
  return { code: error.code, message: error.message };
};

describe('a JWT is accepted that is signed by a key of a registered issuer', () => {
  test.each(ALGORITHMS)('by %s', async (alg) => {
    const signer = await makeSigner(alg, alg);
    published = [good.jwk, signer.jwk];
    const exp = seconds(300);
    const verified = await makeVerifier().verify(await sign({ exp }, { signer }));
    expect(verified).toEqual({ by: trusted(), subject: 'alice', expiresAtMs: exp * 1000 });
  });

  test('with several audiences, of which one is registered', async () => {
    const jwt = await sign({ aud: ['https://other.example', AUDIENCE] });
    expect(await makeVerifier().verify(jwt)).toMatchObject({ by: trusted() });
  });
});

describe('a JWT is matched within one tenant', () => {
  const both = () => makeVerifier([trusted('shared', 'acme'), trusted('shared', 'beta')]);

  test('the one that the request names, though another has registered the same issuer and audience', async () => {
    const jwt = await sign({ aud: 'shared' });
    for (const tenant of ['acme', 'beta'])
      expect(await both().verify(jwt, tenant)).toMatchObject({ by: { tenant, audience: 'shared' } });
  });

  test('the one whose own audience it carries, whatever other audiences others have registered', async () => {
    const verifier = makeVerifier([trusted(), trusted('userinfo', 'mallory')]);
    const jwt = await sign({ aud: ['userinfo', AUDIENCE] });
    expect(await verifier.verify(jwt)).toMatchObject({ by: { tenant: 'acme', audience: AUDIENCE } });
  });

  test('of several audiences that its tenant has registered, by its own, else always by the same', async () => {
    const [own, a, b] = [trusted(), trusted('a'), trusted('b')];
    const jwt = await sign({ aud: ['b', AUDIENCE, 'a'] });
    for (const issuers of [
      [b, own, a],
      [a, b, own],
    ])
      expect(await makeVerifier(issuers).verify(jwt, 'acme')).toMatchObject({ by: own });
    for (const issuers of [
      [b, a],
      [a, b],
    ])
      expect(await makeVerifier(issuers).verify(jwt)).toMatchObject({ by: a });
  });

  test.each([
    ['none of a tenant’s own', 'shared'],
    ['those of two tenants', ['holdfast:acme', 'holdfast:beta']],
    ['one that no tenant can have', 'holdfast:No tenant'],
  ])('and with the audience %s it is refused, saying what to do', async (_, aud) => {
    const { code, message } = await refusal(await sign({ aud }), both());
    expect([code, message]).toEqual([
      'unauthenticated',
      'The JWT does not say which tenant it is for: send "tenant" beside "jwt", or issue it for the audience holdfast:<tenant id>.',
    ]);
  });

  test('not in one that has not registered its issuer', async () => {
    const { message } = await refusal(await sign({ aud: 'shared' }), both(), 'gamma');
    expect(message).toContain('no issuer and audience that its tenant has registered');
  });
});

describe('a JWT is refused as unauthenticated', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['of another issuer', { iss: 'https://evil.example' }, 'no issuer and audience that its tenant has registered'],
    ['for the audience of another tenant', { aud: 'holdfast:beta' }, 'no issuer and audience that its tenant has'],
    ['for another audience', { aud: 'https://elsewhere.example' }, 'does not say which tenant'],
    ['with a NUL in its issuer', { iss: 'a\u0000b' }, 'has no valid iss or aud'],
    ['with a NUL in its audience', { aud: 'a\u0000b' }, 'has no valid iss or aud'],
    ['without an issuer', { iss: undefined }, 'has no valid iss or aud'],
    ['without an audience', { aud: undefined }, 'has no valid iss or aud'],
    ['with an audience that is no text', { aud: 5 }, 'has no valid iss or aud'],
    ['with an issuer that is no text', { iss: ['https://id.example'] }, 'has no valid iss or aud'],
    ['that has expired', { exp: seconds(-1) }, 'has expired'],
    ['that expires at this moment', { exp: seconds(0) }, 'has expired'],
    ['that is not yet valid', { nbf: seconds(60) }, 'has a bad nbf'],
    ['without an expiry', { exp: undefined }, 'has a bad exp'],
    ['with an expiry that is no number', { exp: 'tomorrow' }, 'has a bad exp'],
    ['without a subject', { sub: undefined }, 'has a bad sub'],
    ['with an empty subject', { sub: '' }, 'has a sub that'],
    ['with a subject that is no text', { sub: 7 }, 'lacks exp or sub'],
    ['with a subject that no requester may be', { sub: 'system:Ink' }, 'must not start with system:'],
    ['with a subject that is too long', { sub: 'x'.repeat(257) }, 'has a sub that'],
    ['with control characters in the subject', { sub: 'a\u0000b' }, 'has a sub that'],
  ])('%s', async (_, claims, message) => {
    published = [good.jwk];
    const jwt = await sign(claims);
    expect(await refusal(jwt)).toEqual({ code: 'unauthenticated', message: expect.stringContaining(message) });
  });

  test('that is not signed', async () => {
    for (const alg of ['none', 'None', 'NONE', ''])
      expect(await refusal(assemble({ alg }, CLAIMS()))).toMatchObject({ code: 'unauthenticated' });
  });

  test('that is signed by a secret that is shared, the public key among them', async () => {
    for (const secret of [JSON.stringify(good.jwk), good.jwk.n ?? '', 'secret'])
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const jwt = await new SignJWT(CLAIMS())
          .setProtectedHeader({ alg, kid: 'good' })
          .sign(new TextEncoder().encode(secret.padEnd(64)));
        const { code, message } = await refusal(jwt);
        expect([code, message]).toEqual(['unauthenticated', expect.stringContaining('algorithm')]);
      }
  });

  test('whose signature is of something else', async () => {
    const [header = '', claims = '', signature = ''] = (await sign()).split('.');
    const [, otherClaims = ''] = (await sign({ sub: 'mallory' })).split('.');
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    for (const jwt of [
      [header, otherClaims, signature],
      [header, claims, flipped],
      [header, claims, ''],
      [header, claims, signature.slice(0, -8)],
    ])
      expect(await refusal(jwt.join('.'))).toMatchObject({ code: 'unauthenticated' });
  });

  test('that is signed by a key that the issuer does not have, whether it names it, or one of the issuer’s', async () => {
    for (const kid of ['other', 'good']) {
      const jwt = await sign({}, { signer: await makeSigner('RS256', kid) });
      expect(await refusal(jwt)).toMatchObject({ code: 'unauthenticated' });
    }
  });

  test('that brings its own key, or says where to fetch it', async () => {
    const signer = await makeSigner('RS256', 'mine');
    const before = fetches;
    for (const header of [{ jwk: signer.jwk }, { jku: 'https://evil.example/keys' }, { x5u: 'https://evil.example/c' }])
      expect(await refusal(await sign({}, { signer, header }))).toMatchObject({ code: 'unauthenticated' });
    expect(fetches).toBe(before + 3); // each at the registered address
  });

  test('with a header that must be understood, and is not', async () => {
    const [, claims = '', signature = ''] = (await sign()).split('.');
    const header = base64url.encode(JSON.stringify({ alg: 'RS256', kid: 'good', crit: ['exotic'], exotic: 1 }));
    expect(await refusal(`${header}.${claims}.${signature}`)).toMatchObject({ code: 'unauthenticated' });
  });

  test('that says not which of several keys it is signed by', async () => {
    const unnamed = await makeSigner('RS256');
    published = [unnamed.jwk, (await makeSigner('RS256')).jwk];
    expect((await refusal(await sign({}, { signer: unnamed }))).message).toContain('which of the issuer’s keys');
    published = [good.jwk];
  });

  test.each([
    ['empty', ''],
    ['one word', 'jwt'],
    ['of two parts', 'a.b'],
    ['of four parts', 'a.b.c.d'],
    ['encrypted, of five parts', 'a.b.c.d.e'],
    ['not base64url', '!!.!!.!!'],
    ['claims that are no JSON', `${base64url.encode('{}')}.${base64url.encode('text')}.x`],
    ['claims that are a list', assemble({ alg: 'RS256' }, [], 'x')],
    ['claims that are null', assemble({ alg: 'RS256' }, null, 'x')],
    ['a header that is no JSON', `${base64url.encode('no')}.${base64url.encode(JSON.stringify(CLAIMS()))}.x`],
    ['an algorithm that is no text', assemble({ alg: 5 }, CLAIMS(), 'x')],
    ['deeply nested', assemble({ alg: 'RS256' }, JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`), 'x')],
    ['not ASCII', 'ä.ö.ü'],
    ['with a NUL', 'a\u0000.b.c'],
  ])('that is malformed: %s', async (_, jwt) => {
    expect(await refusal(jwt)).toMatchObject({ code: 'unauthenticated' });
  });

  test('that is huge, though it is well signed, and its keys are not even asked for', async () => {
    const before = fetches;
    expect((await refusal(await sign({ padding: 'x'.repeat(9000) }))).message).toContain('longer than 8192');
    expect((await refusal('x'.repeat(1_000_000))).message).toContain('longer than 8192');
    expect(fetches).toBe(before);
  });
});

describe('the keys of an issuer', () => {
  test('are fetched once for many JWTs, at once and in turn', async () => {
    const verifier = makeVerifier();
    const before = fetches;
    const jwt = await sign();
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(jwt)));
    for (let turn = 0; turn < 10; turn++) await verifier.verify(jwt);
    expect(fetches).toBe(before + 1);
  });

  test('that are unknown are not fetched again at once: who makes names up causes no load', async () => {
    const verifier = makeVerifier();
    const before = fetches;
    for (let turn = 0; turn < 10; turn++) {
      const jwt = await sign({}, { signer: good, header: { kid: `made-up-${turn}` } });
      expect((await refusal(jwt, verifier)).message).toContain('no key of the issuer’s');
    }
    expect(fetches).toBe(before + 1);
  });

  test('are fetched again where a JWT names an unknown one a while later: the issuer may have others by now', async () => {
    const verifier = makeVerifier();
    await verifier.verify(await sign());
    const next = await makeSigner('ES256', 'next');
    published = [next.jwk];
    const jwt = await sign({ exp: seconds(300) }, { signer: next });
    await refusal(jwt, verifier);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    try {
      expect(await verifier.verify(jwt)).toMatchObject({ subject: 'alice' });
      expect((await refusal(await sign(), verifier)).message).toContain('no key of the issuer’s');
    } finally {
      vi.useRealTimers();
      published = [good.jwk];
    }
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => void response.writeHead(500).end()],
    ['a redirect', (response) => void response.writeHead(302, { Location: '/elsewhere' }).end()],
    ['what is no JSON', (response) => void response.end('<html>')],
    ['what is no set of keys', (response) => void response.end('{"keys": 5}')],
    ['nothing', (response) => void response.end()],
    ['more than they can be', (response) => void response.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)],
    ['half of it, and then nothing', (response) => void response.writeHead(200).write('{"keys":')],
    ['a cut connection', (response) => void response.destroy()],
  ])('are answered by %s: unavailable, its address is left alone for ten seconds, and it heals', async (_, bad) => {
    const verifier = makeVerifier();
    const jwt = await sign({ exp: seconds(300) });
    const before = fetches;
    answer = bad;
    const refused = await refusal(jwt, verifier);
    answer = answerKeys;
    expect(refused).toMatchObject({ code: 'unavailable', message: expect.not.stringMatching(/127|keys\b.*http/) });
    for (let turn = 0; turn < 20; turn++) expect(await refusal(jwt, verifier)).toEqual(refused);
    expect(fetches).toBe(before + 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
    try {
      expect(await verifier.verify(jwt)).toMatchObject({ subject: 'alice' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('that are there go on being used while the address fails', async () => {
    const verifier = makeVerifier();
    const jwt = await sign({ exp: seconds(300) });
    await verifier.verify(jwt);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    answer = (response) => void response.writeHead(500).end();
    try {
      const unknown = await sign({ exp: seconds(300) }, { header: { kid: 'made-up' } });
      expect(await refusal(unknown, verifier)).toMatchObject({ code: 'unavailable' });
      expect(await verifier.verify(jwt)).toMatchObject({ subject: 'alice' });
    } finally {
      vi.useRealTimers();
      answer = answerKeys;
    }
  });

  test('cannot be reached: unavailable', async () => {
    const nowhere = { ...trusted(), jwksUrl: 'http://127.0.0.1:1/keys' };
    expect(await refusal(await sign(), makeVerifier([nowhere]))).toMatchObject({ code: 'unavailable' });
  });
});

describe('keys are fetched from public https addresses alone, unless configuration allows otherwise', () => {
  const HOSTS = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'redis.localhost',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[2002:a00:1::]',
    '[fc00::1]',
    '[fd12::1]',
    '[fe80::1]',
    '[ff02::1]',
    '192.88.99.1',
    '[::ffff:0:127.0.0.1]',
    '[3fff::1]',
    '[5f00::1]',
  ];

  test.each(HOSTS)('https://%s is refused', (host) => {
    expect(jwksAddressFault(`https://${host}/keys`, false)).toContain('private');
  });

  test.each([
    ['http://id.example/keys', 'https'],
    ['ftp://id.example/keys', 'https'],
    ['file:///etc/passwd', 'https'],
    ['https://user:secret@id.example/keys', 'credentials'],
    ['keys', 'https'],
    ['', 'https'],
  ])('%s is refused', (address, fault) => {
    expect(jwksAddressFault(address, false)).toContain(fault);
  });

  test.each([
    'https://id.example/keys',
    'https://id.example:8443/keys?a=b',
    'https://8.8.8.8/',
    'https://[2606:4700::1]/',
  ])('%s is not', (address) => expect(jwksAddressFault(address, false)).toBeNull());

  test('private ones, and http, are accepted where configuration allows them, but nothing else is', () => {
    expect(jwksAddressFault('http://10.0.0.1/keys', true)).toBeNull();
    expect(jwksAddressFault('file:///etc/passwd', true)).toContain('http');
    expect(jwksAddressFault('http://user:secret@10.0.0.1/keys', true)).toContain('credentials');
  });

  test('an address that was registered when it was allowed is not asked any more, by number or by name', async () => {
    const { port } = new URL(jwksUrl);
    const before = connections;
    const named = ['127.0.0.1', 'localhost', hostname()].map((host) => `https://${host}:${port}/keys`);
    for (const address of [jwksUrl, ...named]) {
      const verifier = makeVerifier([{ ...trusted(), jwksUrl: address }], false);
      expect(await refusal(await sign(), verifier)).toMatchObject({ code: 'unavailable' });
    }
    expect(connections).toBe(before);
  });
});
