/**
 * Reads lists that come in pages whole.
 */
import type { Definition, TreeNode } from '../../src/contract/definitions.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { definitions, type Page, tree } from '../../src/engine/definitions/list.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { nestedNodes } from '../../src/http/routes/resources.ts';

export async function all<Row>(pages: AsyncGenerator<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page.rows);
  return rows;
}

export const allDefinitions = (engine: Engine, credential: Credential): Promise<Definition[]> =>
  all(definitions(engine, credential));

/** The tree as the route answers it. */
export async function wholeTree(engine: Engine, credential: Credential): Promise<TreeNode[]> {
  const writer = nestedNodes();
  let text = '';
  for await (const { rows } of tree(engine, credential)) text += writer.write(rows);
  return JSON.parse(text + writer.end());
}

/** A list in the order of the JSON of its items. A text stays as it is. */
export const sorted = <T>(list: T[] | string) =>
  typeof list === 'string' ? list : list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
