/**
 * Who may call what: each kind of caller, with the needs of operations that it meets. The reference of the API says so
 * of each operation, and a test tries it (docs/specification.md#rights).
 */
import {
  KEY_PERMISSIONS,
  type Need,
  RIGHTS_OF_KEY,
  RIGHTS_OF_ROLE,
  type Right,
  ROLES,
  rightsOfScopes,
  SCOPES,
} from '../../domain/rights.ts';

export interface Caller {
  readonly name: string;
  /** The kind of credential; null: none */
  readonly column: 'keys' | 'people' | 'management tokens' | null;
  readonly meets: (need: Need) => boolean;
}

const has =
  (...needs: readonly Need[]) =>
  (need: Need): boolean =>
    need === 'anybody' || needs.includes(need);

/** A derived token acts for its subject alone. */
const DERIVED_TOKEN: readonly Right[] = ['read', 'reserve', 'definitions'];

/** A key with a prefix may change some names alone, so it cannot end all reservations. */
const withPrefix = RIGHTS_OF_KEY.full.filter((right) => right !== 'reset');

/** The callers whose credentials are valid. */
export const CALLERS: readonly Caller[] = [
  { name: 'nobody', column: null, meets: has() },
  ...KEY_PERMISSIONS.map((permission) => ({
    name: permission,
    column: 'keys' as const,
    meets: has(...RIGHTS_OF_KEY[permission]),
  })),
  { name: 'full with a prefix', column: 'keys', meets: has(...withPrefix) },
  { name: 'derived token', column: 'keys', meets: has(...DERIVED_TOKEN) },
  ...ROLES.map((role) => ({
    name: role,
    column: 'people' as const,
    meets: has('person', ...RIGHTS_OF_ROLE[role]),
  })),
  { name: 'administrator', column: 'people', meets: has('person', 'administrator', ...RIGHTS_OF_ROLE.viewer) },
  ...SCOPES.map((scope) => ({
    name: scope,
    column: 'management tokens' as const,
    meets: has(...rightsOfScopes([scope])),
  })),
];
