/**
 * Rights of a credential (docs/specification.md#rights): the role of a person, the permission of an API key and the
 * scopes of a management token each stand for a set of rights, and each operation needs one right.
 */

/**
 * - `read`: see reservations, waiting requests, sessions of callers and events
 * - `reserve`: reserve, renew, release what one holds, wait, and keep sessions of callers
 * - `force`: extend and release what others hold
 * - `reset`: end all reservations
 * - `definitions`: see registered resources
 * - `define`: register and delete resources
 * - `usage`: see the tier, its limits and the usage of them
 * - `keys`, `settings` (with the issuers of JWTs), `members`, `tokens` (for management), `audit`: see and change these
 * - `tenant`: delete the tenant
 */
export const RIGHTS = [
  'read',
  'reserve',
  'force',
  'reset',
  'definitions',
  'define',
  'usage',
  'keys',
  'settings',
  'members',
  'tokens',
  'audit',
  'tenant',
] as const;
export type Right = (typeof RIGHTS)[number];

/**
 * The caller of an operation must have a right, or
 * - `anybody`: nothing, not even a credential
 * - `token`: a derived token
 * - `person`: a sign-in session, whatever its role
 * - `administrator`: the sign-in session of an administrator
 */
export type Need = Right | 'anybody' | 'token' | 'person' | 'administrator';

/** Returns true if it is a right. */
export const isRight = (need: Need): need is Right => RIGHTS.some((right) => right === need);

/** The roles of a tenant's members, lowest first. */
export const ROLES = ['viewer', 'member', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

const VIEWER: readonly Right[] = ['read', 'definitions', 'usage'];
const MEMBER: readonly Right[] = [...VIEWER, 'reserve'];

export const RIGHTS_OF_ROLE: Readonly<Record<Role, readonly Right[]>> = {
  viewer: VIEWER,
  member: MEMBER,
  operator: [...MEMBER, 'force', 'reset', 'define', 'audit'],
  owner: RIGHTS,
};

/** The higher of two roles; null: none */
export const higherRole = (a: Role | null, b: Role | null): Role | null =>
  ROLES.findLast((role) => role === a || role === b) ?? null;

/** The permissions of API keys, lowest first. */
export const KEY_PERMISSIONS = ['read', 'reserve', 'full'] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

export const RIGHTS_OF_KEY: Readonly<Record<KeyPermission, readonly Right[]>> = {
  read: VIEWER,
  reserve: MEMBER,
  full: [...MEMBER, 'reset', 'define'],
};

/** The permissions of derived tokens, lowest first. */
export const TOKEN_PERMISSIONS = ['read', 'reserve'] as const satisfies readonly KeyPermission[];
export type TokenPermission = (typeof TOKEN_PERMISSIONS)[number];

export const RIGHTS_OF_TOKEN: Readonly<Record<TokenPermission, readonly Right[]>> = {
  read: ['read', 'definitions'],
  reserve: ['read', 'definitions', 'reserve'],
};

/** Scopes of management tokens. */
export const SCOPES = ['keys', 'settings', 'definitions', 'members', 'usage', 'audit'] as const;
export type Scope = (typeof SCOPES)[number];

const RIGHTS_OF_SCOPE: Readonly<Record<Scope, readonly Right[]>> = {
  keys: ['keys'],
  settings: ['settings'],
  definitions: ['definitions', 'define'],
  members: ['members'],
  usage: ['usage'],
  audit: ['audit'],
};

export const rightsOfScopes = (scopes: readonly Scope[]): readonly Right[] =>
  scopes.flatMap((scope) => RIGHTS_OF_SCOPE[scope]);

/** The rights that a management token can have. */
export const SCOPED_RIGHTS: ReadonlySet<Right> = new Set(rightsOfScopes(SCOPES));

/** Rights as scripts read them (lua/frame/admission.lua). */
export const rightsText = (rights: readonly Right[]): string => rights.join(' ');
