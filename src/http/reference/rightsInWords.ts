/**
 * Who may call an operation, in words, from the right that it needs.
 */
import { KEY_PERMISSIONS, type Need, ROLES, SCOPES } from '../../domain/rights.ts';
import { CALLERS } from './callers.ts';

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

/** Returns a sentence. */
export function callersInWords(need: Need): string {
  if (need === 'anybody') return 'Anybody, without a credential.';
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
