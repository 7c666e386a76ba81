/** Carries out a plan: registers in batches, ancestors first, then deletes, leaves first. */
import { HoldfastError } from '../../errors.ts';
import type { Holdfast } from '../../index.ts';
import type { Registration } from '../../types.ts';
import { EXIT, ExitError, exitCodeOf } from '../exitCodes.ts';
import { messageOf } from '../messages.ts';
import type { Change, Kept } from './plan.ts';

/** So many resources fit into the smallest quota of a minute (docs/specification.md#limits). */
const MAX_ITEMS = 100;
/** A quarter of what a request may have (docs/specification.md#names-and-sizes: MAX_BODY_BYTES). */
const MAX_BYTES = 256 * 1024;

function batchesOf(changes: readonly Change[]): Registration[][] {
  const batches: Registration[][] = [];
  let bytes = 0;
  for (const { item } of changes) {
    if (item === undefined) continue;
    const size = Buffer.byteLength(JSON.stringify(item));
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_ITEMS || bytes + size > MAX_BYTES) {
      batches.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return batches;
}

/** `[3].capacity must be …` with the name of the resource in place of its number. */
const named = (message: string, batch: readonly Registration[]): string =>
  message.replace(/^\[(\d+)\]\.?/, (all, i: string) => {
    const name = batch[Number(i)]?.name;
    return name === undefined ? all : `${name}: `;
  });

/** The service keeps resources that are held, or have others below them. */
const KEPT = /^(REFUSED)$/;

export interface Done {
  readonly registered: number;
  readonly deleted: readonly string[];
  readonly kept: readonly Kept[];
}

/** @throws ExitError at the first refusal, with the number of changes that were made before */
export async function carryOut(client: Holdfast, changes: readonly Change[], signal: AbortSignal): Promise<Done> {
  let registered = 0;
  const deleted: string[] = [];
  const kept: Kept[] = [];
  const stopped = (error: unknown, batch: readonly Registration[]): ExitError => {
    const message = signal.aborted ? 'stopped' : named(messageOf(error), batch);
    const made = `${registered + deleted.length} of ${changes.length} changes were made`;
    const code = exitCodeOf(error);
    const next = code === EXIT.notAllowed ? '' : ': run it again to go on';
    return new ExitError(code, `${message.replace(/\.$/, '')}; ${made}${next}`);
  };
  for (const batch of batchesOf(changes)) {
    await client.register(batch, { signal }).catch((error: unknown) => Promise.reject(stopped(error, batch)));
    registered += batch.length;
  }
  for (const { action, name } of changes) {
    if (action !== 'delete') continue;
    try {
      deleted.push(...(await client.unregister(name, { signal })));
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw stopped(error, []);
      if (KEPT.test(error.code)) kept.push({ name, why: error.message });
      // Somebody else has deleted it.
      else if (error.code === 'NOT_REGISTERED') deleted.push(name);
      else throw stopped(error, []);
    }
  }
  return { registered, deleted, kept };
}
