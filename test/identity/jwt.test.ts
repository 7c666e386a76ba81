/**
 * JWTs of end users: which ones are accepted, and which tenant they belong to (docs/specification.md#identity).
 */
import { base64url, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { describe as told } from '../../src/identity/oidc.ts';
import {
  ALGORITHMS,
  AUDIENCE,
  assemble,
  CLAIMS,
  good,
  jwks,
  makeSigner,
  makeVerifier,
  refusal,
  seconds,
  sign,
  trusted,
  useJwks,
} from '../support/jwt.ts';

useJwks();

describe('a JWT is accepted that is signed by a key of a registered issuer', () => {
  test.each(ALGORITHMS)('by %s', async (alg) => {
    const signer = await makeSigner(alg, alg);
    jwks.published = [good.jwk, signer.jwk];
    const exp = seconds(300);
    const verified = await makeVerifier().verify(await sign({ exp }, { signer }));
    expect(verified).toEqual({ by: trusted(), requester: 'alice', expiresAtMs: exp * 1000 });
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
      expect(await both().verify(jwt, { tenant })).toMatchObject({ by: { tenant, audience: 'shared' } });
  });

  test('the one whose own audience it carries, whatever other audiences others have registered', async () => {
    const verifier = makeVerifier([trusted(), trusted('userinfo', 'mallory')]);
    const jwt = await sign({ aud: ['userinfo', AUDIENCE] });
    expect(await verifier.verify(jwt)).toMatchObject({ by: { tenant: 'acme', audience: AUDIENCE } });
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
    const { message } = await refusal(await sign({ aud: 'shared' }), both(), { tenant: 'gamma' });
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
    ['without a subject', { sub: undefined }, 'has no sub that could be part of a requester'],
    ['with an empty subject', { sub: '' }, 'has no sub that could be part of a requester'],
    ['with a subject that is no text', { sub: ['alice'] }, 'has no sub that could be part of a requester'],
    ['with a subject that no requester may be', { sub: 'system:Ink' }, 'must not start with system:'],
    ['with the subject of a person of the dashboard', { sub: 'person:ann@x.example' }, 'must not start with person:'],
    ['with the subject of a key', { sub: 'key:ci' }, 'must not start with key:'],
    ['with a subject that is too long', { sub: 'x'.repeat(257) }, 'gives a requester that must be 1 to 256'],
    ['with control characters in the subject', { sub: 'a\u0000b' }, 'gives a requester that must not contain control'],
  ])('%s', async (_, claims, message) => {
    jwks.published = [good.jwk];
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
    const before = jwks.fetches;
    for (const header of [{ jwk: signer.jwk }, { jku: 'https://evil.example/keys' }, { x5u: 'https://evil.example/c' }])
      expect(await refusal(await sign({}, { signer, header }))).toMatchObject({ code: 'unauthenticated' });
    expect(jwks.fetches).toBe(before + 3); // each at the registered address
  });

  test('with a header that must be understood, and is not', async () => {
    const [, claims = '', signature = ''] = (await sign()).split('.');
    const header = base64url.encode(JSON.stringify({ alg: 'RS256', kid: 'good', crit: ['exotic'], exotic: 1 }));
    expect(await refusal(`${header}.${claims}.${signature}`)).toMatchObject({ code: 'unauthenticated' });
  });

  test('that says not which of several keys it is signed by', async () => {
    const unnamed = await makeSigner('RS256');
    jwks.published = [unnamed.jwk, (await makeSigner('RS256')).jwk];
    expect((await refusal(await sign({}, { signer: unnamed }))).message).toContain('which of the issuer’s keys');
    jwks.published = [good.jwk];
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
    const before = jwks.fetches;
    expect((await refusal(await sign({ padding: 'x'.repeat(9000) }))).message).toContain('longer than 8192');
    expect((await refusal('x'.repeat(1_000_000))).message).toContain('longer than 8192');
    expect(jwks.fetches).toBe(before);
  });
});

/**
 * Claims of an identity provider that are believed (docs/specification.md#identity).
 */

describe('an e-mail address counts where its own source says that it is verified', () => {
  test.each([
    ['in the ID token', { email: 'a@x', email_verified: true }, {}, 'a@x'],
    ['in the answer', {}, { email: 'a@x', email_verified: true }, 'a@x'],
    ['as text, as some providers send it', {}, { email: 'a@x', email_verified: 'true' }, 'a@x'],
    ['not at all', { email: 'a@x' }, {}, null],
    ['not verified', { email: 'a@x', email_verified: false }, {}, null],
    ['of another address', { email: 'mallory@x', email_verified: true }, { email: 'root@x' }, null],
    ['of an address that is not there', { email_verified: true }, { email: 'root@x' }, null],
    ['null', { email: null, email_verified: true }, {}, null],
  ])('%s', (_, idToken, info, email) => {
    expect(told(idToken, info).email).toBe(email);
  });
});

describe('what is of another type says nothing', () => {
  test('a name, groups', () => {
    expect(told({ name: null, groups: 'admins' }, { name: 5 })).toEqual({ email: null, name: null, groups: [] });
    expect(told({ name: 'A', groups: ['a'] }, { groups: null })).toMatchObject({ name: 'A', groups: ['a'] });
  });

  test('control characters in a name are left out, and it is cut', () => {
    expect(told({ name: 'A\u0000b' }, {}).name).toBe('Ab');
    expect(told({ name: 'x'.repeat(1000) }, {}).name).toHaveLength(200);
  });
});
