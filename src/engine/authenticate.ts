/**
 * Verifies a key where nothing else is done with it: before a faulty request is told what is wrong with it.
 */
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';

/** @throws HoldfastError unauthenticated, unavailable */
export async function authenticate(engine: Engine, credential: Credential): Promise<void> {
  await call(engine, 'authenticate', credential, () => []);
}
