/**
 * API keys: their form, their digest, and making one up (decisions, section 9).
 */
import { hash, randomBytes } from 'node:crypto';
import { API_KEY } from '../domain/names.ts';
import type { Credential } from '../domain/tenants.ts';

/** SHA-256, hexadecimal: the only form in which a key is looked up or kept. */
export const digestKey = (key: string): string => hash('sha256', key);

/** Reads a key as far as its form goes; null where it cannot be one. Whether it is valid only the engine knows. */
export function parseKey(key: string): Credential | null {
  const tenant = API_KEY.exec(key)?.[1];
  return tenant === undefined ? null : { tenant, digest: digestKey(key) };
}

/** A new key of a tenant: 40 random hexadecimal digits. */
export const makeKey = (tenant: string): string => `hf_${tenant}_${randomBytes(20).toString('hex')}`;
