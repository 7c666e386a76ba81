/**
 * Who may call what: each kind of caller, with the needs of operations that it meets. The reference of the API says so
 * of each operation, and a test tries it (docs/specification.md#rights).
 */
import {
  KEY_PERMISSIONS,
  type Need,
  RIGHTS_OF_KEY,
  RIGHTS_OF_ROLE,
  RIGHTS_OF_TOKEN,
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
  { name: 'derived token', column: 'keys', meets: has('token', ...RIGHTS_OF_TOKEN.reserve) },
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

const and = (words: readonly string[], last: 'and' | 'or'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

const quoted = (names: readonly string[]) =>
  and(
    names.map((name) => `\`${name}\``),
    'or',
  );

const PLURALS = { viewer: 'viewers', member: 'members', operator: 'operators', owner: 'owners' } as const;

function keysWith(met: ReadonlySet<string>): string[] {
  const permissions = KEY_PERMISSIONS.filter((permission) => met.has(permission));
  if (permissions.length === 0) return [];
  if (permissions.length === KEY_PERMISSIONS.length) return ['every API key'];
  const without = met.has('full with a prefix') ? '' : ' and no prefix';
  return [`API keys with the permission ${quoted(permissions)}${without}`];
}

/** Returns who may call an operation, in a sentence, from the right that it needs. */
export function callersInWords(need: Need): string {
  if (need === 'anybody') return 'Anybody, without a credential.';
  if (need === 'token') return 'Derived tokens.';
  if (need === 'administrator') return 'Administrators of the service who have signed in.';
  if (need === 'person') return 'Every person who has signed in.';
  const met = new Set(CALLERS.filter(({ meets }) => meets(need)).map(({ column, name }) => `${column}:${name}`));
  const of = (column: string) =>
    new Set([...met].filter((one) => one.startsWith(`${column}:`)).map((one) => one.slice(column.length + 1)));
  const people = of('people');
  const roles = ROLES.filter((role) => people.has(role));
  const scopes = SCOPES.filter((scope) => of('management tokens').has(scope));
  const callers = [
    ...keysWith(of('keys')),
    ...(of('keys').has('derived token') ? ['derived tokens'] : []),
    ...(roles.length === ROLES.length ? ['every person who has signed in'] : []),
    ...(roles.length > 0 && roles.length < ROLES.length
      ? [
          `${and(
            roles.map((role) => PLURALS[role]),
            'and',
          )} who have signed in`,
        ]
      : []),
    ...(scopes.length > 0 ? [`management tokens with the scope ${quoted(scopes)}`] : []),
  ];
  const sentence = `${callers.join('; ')}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
