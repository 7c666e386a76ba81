/**
 * The keys of issuers: when they are fetched, and from which addresses (docs/specification.md#identity).
 */
import type { ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import {
  answerKeys,
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

describe('the keys of an issuer', () => {
  test('are fetched once for many JWTs, at once and in turn', async () => {
    const verifier = makeVerifier();
    const before = jwks.fetches;
    const jwt = await sign();
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(jwt)));
    for (let round = 0; round < 10; round++) await verifier.verify(jwt);
    expect(jwks.fetches).toBe(before + 1);
  });

  test('that are unknown are not fetched again at once: who makes names up causes no load', async () => {
    const verifier = makeVerifier();
    const before = jwks.fetches;
    for (let round = 0; round < 10; round++) {
      const jwt = await sign({}, { signer: good, header: { kid: `made-up-${round}` } });
      expect((await refusal(jwt, verifier)).message).toContain('no key of the issuer’s');
    }
    expect(jwks.fetches).toBe(before + 1);
  });

  test('are fetched again where a JWT names an unknown one a while later: the issuer may have others by now', async () => {
    const verifier = makeVerifier();
    await verifier.verify(await sign());
    const next = await makeSigner('ES256', 'next');
    jwks.published = [next.jwk];
    const jwt = await sign({ exp: seconds(300) }, { signer: next });
    await refusal(jwt, verifier);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    try {
      expect(await verifier.verify(jwt)).toMatchObject({ requester: 'alice' });
      expect((await refusal(await sign(), verifier)).message).toContain('no key of the issuer’s');
    } finally {
      vi.useRealTimers();
      jwks.published = [good.jwk];
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
    const before = jwks.fetches;
    jwks.answer = bad;
    const refused = await refusal(jwt, verifier);
    jwks.answer = answerKeys;
    expect(refused).toMatchObject({ code: 'unavailable', message: expect.not.stringMatching(/127|keys\b.*http/) });
    for (let round = 0; round < 20; round++) expect(await refusal(jwt, verifier)).toEqual(refused);
    expect(jwks.fetches).toBe(before + 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
    try {
      expect(await verifier.verify(jwt)).toMatchObject({ requester: 'alice' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('that are there go on being used while the address fails', async () => {
    const verifier = makeVerifier();
    const jwt = await sign({ exp: seconds(300) });
    await verifier.verify(jwt);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    jwks.answer = (response) => void response.writeHead(500).end();
    try {
      const unknown = await sign({ exp: seconds(300) }, { header: { kid: 'made-up' } });
      expect(await refusal(unknown, verifier)).toMatchObject({ code: 'unavailable' });
      expect(await verifier.verify(jwt)).toMatchObject({ requester: 'alice' });
    } finally {
      vi.useRealTimers();
      jwks.answer = answerKeys;
    }
  });

  test('cannot be reached: unavailable', async () => {
    const nowhere = { ...trusted(), jwksUrl: 'http://127.0.0.1:1/keys' };
    expect(await refusal(await sign(), makeVerifier([nowhere]))).toMatchObject({ code: 'unavailable' });
  });
});

describe('keys are fetched from public https addresses alone, unless configuration allows otherwise', () => {
  test('an address that was registered when it was allowed is not asked any more, by number or by name', async () => {
    const { port } = new URL(jwks.url);
    const before = jwks.connections;
    const named = ['127.0.0.1', 'localhost', hostname()].map((host) => `https://${host}:${port}/keys`);
    for (const address of [jwks.url, ...named]) {
      const verifier = makeVerifier([{ ...trusted(), jwksUrl: address }], false);
      expect(await refusal(await sign(), verifier)).toMatchObject({ code: 'unavailable' });
    }
    expect(jwks.connections).toBe(before);
  });
});
