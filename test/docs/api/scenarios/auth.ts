/** Issuers of JWTs, and the exchange of a JWT for a token. */
import type { Stage } from '../world.ts';

const AUDIENCE = 'https://acme.example.com/api';

export async function auth({ record, key, program, nobody, provider, tenant }: Stage): Promise<void> {
  const { issuer, jwksUrl } = provider;
  const own = { issuer, audience: AUDIENCE };
  const named = `?${new URLSearchParams(own)}`;
  await record.show('Trust an identity provider', 'registerIssuer', { by: program, body: { ...own, jwksUrl } });
  await record.show('No audience', 'registerIssuer', { by: program, body: { issuer, jwksUrl } });
  await record.show('An API key does not suffice', 'registerIssuer', { by: key, body: { ...own, jwksUrl } });
  await record.show('One issuer', 'listIssuers', { by: program });
  const jwt = await provider.token('alice', AUDIENCE);
  await record.show('The token of alice', 'exchangeToken', { by: nobody, body: { jwt, tenant } });
  await record.show('A JWT that nobody signed', 'exchangeToken', {
    by: nobody,
    body: { jwt: 'no.jwt.atall', tenant },
  });
  await record.show('No JWT', 'exchangeToken', { by: nobody, body: { tenant: 'acme' } });
  await record.show('Trust it no longer', 'deleteIssuer', { by: program, query: named });
  await record.show('It is not there any more', 'deleteIssuer', { by: program, query: named });
  await record.show('No audience', 'deleteIssuer', { by: program, query: `?${new URLSearchParams({ issuer })}` });
}
