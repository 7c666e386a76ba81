/**
 * The lists of the form to register: names, paths of parents, and labels that are in use.
 */
import type { Credential } from '../../domain/tenants.ts';
import { labelsInUse, tree } from '../../engine/definitions/list.ts';
import type { Engine } from '../../engine/engine.ts';

/** Resources, and labels, to choose from. */
const MAX_NAMES = 200;
const MAX_LABELS = 50;

export interface RegisterLists {
  readonly names: readonly string[];
  /** From the root down, joined by ` > `. */
  readonly paths: readonly string[];
  /** `<key>=<value>` */
  readonly labels: readonly string[];
}

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function readLists(engine: Engine, credential: Credential): Promise<RegisterLists> {
  const labels = labelsInUse(engine, credential, MAX_LABELS);
  const names: string[] = [];
  const paths: string[] = [];
  const above: string[] = [];
  for await (const { rows } of tree(engine, credential, [], MAX_NAMES)) {
    for (const { name, depth } of rows) {
      above.length = depth;
      above.push(name);
      names.push(name);
      paths.push(above.join(' > '));
    }
    break;
  }
  return { names, paths, labels: await labels };
}
