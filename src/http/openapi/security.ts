/**
 * The credentials that an operation takes, for the OpenAPI document: they follow from the right that it needs
 * (docs/specification.md#rights).
 */
import { isRight, type Need, RIGHTS_OF_KEY, SCOPED_RIGHTS } from '../../domain/rights.ts';

/** The security schemes of the document. */
export type Scheme = 'apiKey' | 'bearer' | 'session' | 'management';

type SchemeObject = { readonly description: string } & (
  | { readonly type: 'apiKey'; readonly in: string; readonly name: string }
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
);

/**
 * The schemes of an instance. Sessions and management tokens need a database.
 * @param sessionCookie the name of the session cookie; null without a database
 */
export function schemesOf(sessionCookie: string | null): ReadonlyMap<Scheme, SchemeObject> {
  const schemes = new Map<Scheme, SchemeObject>([
    ['apiKey', { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key, or a derived token.' }],
    ['bearer', { type: 'http', scheme: 'bearer', description: 'An API key, or a derived token.' }],
  ]);
  if (sessionCookie === null) return schemes;
  schemes.set('session', {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The session of a person who has signed in to the dashboard.',
  });
  schemes.set('management', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'hfm_<tenant id>_<40 letters and digits>',
    description: 'A management token, which an owner makes. Its scopes say what it may do.',
  });
  return schemes;
}

const OF_KEYS = new Set(RIGHTS_OF_KEY.full);

/**
 * @param known the schemes of this instance
 * @returns one of these is needed; none: no credential
 */
export function securityOf(need: Need, known: ReadonlySet<Scheme>): { [Name in Scheme]?: [] }[] {
  if (need === 'anybody') return [];
  const ofTokens: Scheme[] = ['apiKey', 'bearer'];
  const schemes: Scheme[] = isRight(need)
    ? [...(OF_KEYS.has(need) ? ofTokens : []), 'session', ...(SCOPED_RIGHTS.has(need) ? (['management'] as const) : [])]
    : need === 'token'
      ? ofTokens
      : ['session'];
  return schemes.filter((scheme) => known.has(scheme)).map((scheme) => ({ [scheme]: [] }));
}
