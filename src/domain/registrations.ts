/**
 * Registrations of issuers of JWTs (docs/specification.md#jwt-exchange): whose JWTs are admitted, and the requesters
 * that they get. Claims are of any type: whoever signs in at an issuer chooses many of them.
 */
import { nameFault, RESERVED_SUBJECT_PREFIXES } from './names.ts';
import type { TokenGrant } from './tenants.ts';

/** The longest requester (docs/specification.md#names-and-sizes). */
const MAX_REQUESTER = 256;

/** The id of a registration. */
export const REGISTRATION_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The name that a job gives itself in exchanges. */
export const INSTANCE = /^[a-z0-9]{10,32}$/;

/** Claim → its value, or values of which it must have one. All claims must match. */
export type Conditions = Readonly<Record<string, string | readonly string[]>>;

/** The values of which a claim must have one. */
export const valuesOf = (condition: Conditions[string]): readonly string[] =>
  typeof condition === 'string' ? [condition] : condition;

/** An issuer that a tenant trusts, whose JWTs it means, and what their tokens may do. */
export interface Registration extends TokenGrant {
  readonly id: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly conditions: Conditions;
  /** A template of claims. */
  readonly requester: string;
  /** True if an exchange must name an instance, with which the requester ends. */
  readonly instances: boolean;
}

/** The claims of a JWT. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns true if a value of a condition stands for all texts that begin as it does. */
export const isWildcard = (value: string): boolean => value.endsWith('*');

/**
 * Checks a value of a condition.
 * @returns the end of a sentence that starts with the place of the value; null if it is valid
 */
export function conditionFault(value: string): string | null {
  const fault = nameFault(value, MAX_REQUESTER);
  if (fault !== null) return fault;
  const star = value.indexOf('*');
  return star < 0 || (star === value.length - 1 && /[/:]\*$/.test(value))
    ? null
    : 'must have * only at its end, after / or :';
}

/** A claim as a text; null if it has none. A number beyond 2^53 is not exact any more: it could be that of another. */
function textOf(claim: unknown): string | null {
  if (typeof claim === 'string') return claim;
  if (typeof claim === 'boolean') return String(claim);
  return typeof claim === 'number' && Math.abs(claim) <= Number.MAX_SAFE_INTEGER ? JSON.stringify(claim) : null;
}

const claimOf = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

const matches = (value: string, text: string): boolean =>
  isWildcard(value) ? text.startsWith(value.slice(0, -1)) : text === value;

/** Returns the claims on which a JWT does not meet conditions. */
export const unmetBy = (conditions: Conditions, claims: Claims): string[] =>
  Object.entries(conditions).flatMap(([name, condition]) => {
    const claim = claimOf(claims, name);
    const texts = (Array.isArray(claim) ? claim : [claim]).map(textOf).filter((text) => text !== null);
    return texts.some((text) => valuesOf(condition).some((value) => matches(value, text))) ? [] : name;
  });

/** A claim's name in a template. */
const PLACEHOLDER = /\{([^{}]+)\}/;
/** A text between two placeholders that no value can contain: every text has one way to be made. */
const SEPARATES = /[^A-Za-z0-9._\-/:@%]/;

/** The texts and claims of a template, in turn: text, claim, text, …, text. */
const partsOf = (template: string): string[] => template.split(PLACEHOLDER);

/**
 * Checks a template of requesters.
 * @returns the end of a sentence that starts with the field's name; null if it is valid
 */
export function templateFault(template: string): string | null {
  const fault = nameFault(template, MAX_REQUESTER);
  if (fault !== null) return fault;
  const parts = partsOf(template);
  const texts = parts.filter((_, i) => i % 2 === 0);
  if (texts.some((text) => /[{}]/.test(text))) return 'must have { and } only around the name of a claim';
  if (texts.length === 1) return 'must have a claim, such as {sub}';
  if (texts.slice(1, -1).some((text) => !SEPARATES.test(text)))
    return 'must have a character such as # between two claims, which no claim can contain';
  return reservedFault(parts[0] ?? '');
}

/** Returns why a requester cannot begin like this; null if it can. */
function reservedFault(text: string): string | null {
  const reserved = RESERVED_SUBJECT_PREFIXES.find((prefix) => text.startsWith(prefix));
  return reserved === undefined ? null : `must not start with ${reserved}`;
}

/** Percent-encodes the bytes of all but `A-Z a-z 0-9 . _ - / : @`. */
const encode = (text: string): string =>
  text.replace(/[^A-Za-z0-9._\-/:@]/gu, (one) =>
    Array.from(new TextEncoder().encode(one), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  );

/**
 * Makes the requester of a JWT.
 * @param instance what its job names itself, if the registration asks for it
 * @returns the requester; or the fault, as the end of a sentence that starts with `The JWT`
 */
export function requesterOf(
  template: string,
  claims: Claims,
  instance: string | undefined,
): { readonly requester: string } | { readonly fault: string } {
  const parts = partsOf(template);
  const isClaimAlone = parts.length === 3 && parts[0] === '' && parts[2] === '';
  const made: string[] = [];
  for (const [i, part] of parts.entries()) {
    if (i % 2 === 0) {
      made.push(part);
      continue;
    }
    const text = textOf(claimOf(claims, part));
    if (text === null || text === '') return { fault: `has no ${part} that could be part of a requester` };
    if (!text.isWellFormed()) return { fault: `has a ${part} that is not well-formed Unicode` };
    made.push(isClaimAlone ? text : encode(text));
  }
  const requester = made.join('') + (instance === undefined ? '' : `.${instance}`);
  const fault = reservedFault(requester) ?? nameFault(requester, MAX_REQUESTER);
  return fault === null ? { requester } : { fault: `gives a requester that ${fault}` };
}
