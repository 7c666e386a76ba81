/**
 * Issuers that sign JWTs for everybody who has an account there (docs/specification.md#public-issuers). A registration
 * of one must name whose JWTs it means, by an id that its issuer never gives to somebody else.
 */
import { type Conditions, isWildcard, valuesOf } from './registrations.ts';

interface PublicIssuer {
  readonly issuer: string;
  /** True if issuers below this address are meant, too. */
  readonly hasPaths?: true;
  /** Claims with an id that is never used again. */
  readonly ids: readonly [string, ...string[]];
}

export const PUBLIC_ISSUERS: readonly PublicIssuer[] = [
  {
    issuer: 'https://token.actions.githubusercontent.com',
    hasPaths: true,
    ids: ['repository_id', 'repository_owner_id', 'enterprise_id'],
  },
  { issuer: 'https://gitlab.com', ids: ['project_id', 'namespace_id'] },
  { issuer: 'https://agent.buildkite.com', ids: ['organization_id', 'pipeline_id'] },
  { issuer: 'https://app.terraform.io', ids: ['terraform_organization_id', 'terraform_workspace_id'] },
  { issuer: 'https://accounts.google.com', ids: ['sub'] },
  // Google writes its name in both forms.
  { issuer: 'accounts.google.com', ids: ['sub'] },
];

/**
 * Checks that a registration of a public issuer says whose JWTs it means.
 * @returns the fault, as the end of a sentence that starts with `conditions`; null: none
 */
export function publicIssuerFault(issuer: string, conditions: Conditions): string | null {
  const known = PUBLIC_ISSUERS.find(
    (one) => one.issuer === issuer || (one.hasPaths && issuer.startsWith(`${one.issuer}/`)),
  );
  if (known === undefined) return null;
  const isExact = ([name, values]: [string, Conditions[string]]) =>
    known.ids.includes(name) && !valuesOf(values).some(isWildcard);
  if (Object.entries(conditions).some(isExact)) return null;
  return `must have one of ${known.ids.join(', ')}, without *: ${known.issuer} signs for everybody, and names can change hands`;
}
