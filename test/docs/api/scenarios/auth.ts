/** Issuers of JWTs, and the exchange of a JWT for a token. */
import type { Stage } from '../world.ts';

const AUDIENCE = 'https://acme.example.com/api';

export async function auth({ record, program, nobody, provider, tenant }: Stage): Promise<void> {
  const { issuer, jwksUrl } = provider;
  const own = { issuer, audience: AUDIENCE };
  const named = `?${new URLSearchParams(own)}`;
  await record.show('Trust an identity provider', 'registerIssuer', { by: program, body: { ...own, jwksUrl } });
  await record.show('One issuer', 'listIssuers', { by: program });
  const jwt = await provider.token('alice', AUDIENCE);
  await record.show('The token of alice', 'exchangeToken', { by: nobody, body: { jwt, tenant } });
  await record.show('A JWT that nobody signed', 'exchangeToken', {
    by: nobody,
    body: { jwt: 'no.jwt.atall', tenant },
  });
  await record.show('Trust it no longer', 'deleteIssuer', { by: program, query: named });
}
