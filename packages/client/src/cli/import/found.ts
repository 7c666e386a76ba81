/** Reads values of foreign files, which may be anything. */
import { isObject } from '../lab/file.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** A value as text; '' if it is none. YAML reads some names as numbers. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value).trim() : '';

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** As a shell needs it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The rules of docs/specification.md#names-and-sizes. */
export const MAX_LABELS = 16;
export const MAX_CAPACITY = 100_000;

/** Why a name cannot be registered; undefined if it can. */
export function nameFault(name: string): string | undefined {
  if (name.includes('>')) return 'a name must not contain >';
  if ([...name].length > 256) return 'a name has at most 256 characters';
  return name === '.' || name === '..' ? 'a name must not be . or ..' : undefined;
}
