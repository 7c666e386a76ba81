/**
 * An issuer with a JWKS endpoint, JWTs that it signs, and verifiers that trust it. `useJwks` starts and stops the
 * endpoint.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { base64url, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { afterAll, beforeAll } from 'vitest';
import { HoldfastError } from '../../src/domain/errors.ts';
import { JwtVerifier, type Presented, type TrustedIssuer } from '../../src/identity/jwtVerifier.ts';

export const ISSUER = 'https://id.example';
export const AUDIENCE = 'holdfast:acme';
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

type Signer = Awaited<ReturnType<typeof makeSigner>>;

export async function makeSigner(alg: string, kid?: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), alg, ...(kid === undefined ? {} : { kid }) };
  return { privateKey, jwk };
}

/** The issuer's JWKS endpoint: the keys it publishes, how it answers, and how often it was asked. */
export const jwks = {
  url: '',
  published: [] as JWK[],
  answer: (_: ServerResponse): void => {},
  fetches: 0,
  connections: 0,
};
export const answerKeys = (response: ServerResponse) => void response.end(JSON.stringify({ keys: jwks.published }));
let server: Server;
export let good: Signer;

/** To be called at the top of a test file. */
export function useJwks(): void {
  beforeAll(async () => {
    good = await makeSigner('RS256', 'good');
    server = createServer((_, response) => {
      jwks.fetches += 1;
      jwks.answer(response);
    });
    server.on('connection', () => {
      jwks.connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    jwks.url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/keys`;
    jwks.answer = answerKeys;
    jwks.published = [good.jwk];
  });
  afterAll(() => void server.close());
}

export const trusted = (audience = AUDIENCE, tenant = 'acme', fields: Partial<TrustedIssuer> = {}): TrustedIssuer => ({
  tenant,
  id: 'own',
  issuer: ISSUER,
  audience,
  jwksUrl: jwks.url,
  conditions: {},
  permission: 'reserve',
  prefix: '',
  maxPriority: 0,
  requester: '{sub}',
  instances: false,
  revision: '1',
  ...fields,
});

/** A verifier that has fetched nothing yet. */
export const makeVerifier = (issuers: readonly TrustedIssuer[] = [trusted()], allowPrivate = true) =>
  new JwtVerifier(
    async (tenant, issuer, audiences) =>
      issuers.filter((one) => one.tenant === tenant && one.issuer === issuer && audiences.includes(one.audience)),
    { allowPrivate, onUnreachable: () => {} },
  );

export const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;
export const CLAIMS = () => ({ iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: seconds(300) });

/** A JWT that is good but for the given claims; undefined removes a claim. */
export const sign = (
  claims: Record<string, unknown> = {},
  { signer = good, header = {} }: { signer?: Signer; header?: Partial<JWTHeaderParameters> } = {},
) =>
  new SignJWT({ ...CLAIMS(), ...claims })
    .setProtectedHeader({ alg: signer.jwk.alg ?? '', ...(signer.jwk.kid ? { kid: signer.jwk.kid } : {}), ...header })
    .sign(signer.privateKey);

/** Puts a JWT together without signing it. */
export const assemble = (header: unknown, claims: unknown, signature = '') =>
  `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}.${signature}`;

export const refusal = async (jwt: string, verifier = makeVerifier(), presented: Presented = {}) => {
  const error: unknown = await verifier.verify(jwt, presented).then(
    (verified) => new Error(`accepted: ${JSON.stringify(verified)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof HoldfastError)) throw error;
  return { code: error.code, message: error.message };
};
