/** Registrations of issuers as a request has them. */
import { NewIssuer } from '../../src/contract/issuers.ts';

/** Checks a registration that is good but for these fields. */
export const given = (fields: object) =>
  NewIssuer.safeParse({
    id: 'own',
    issuer: 'https://id.example',
    audience: 'holdfast:acme',
    jwksUrl: 'https://id.example/jwks',
    conditions: {},
    ...fields,
  });

/** The fault of a registration. */
export const faultOf = (fields: object) => given(fields).error?.issues.map(({ message }) => message)[0] ?? 'none';
