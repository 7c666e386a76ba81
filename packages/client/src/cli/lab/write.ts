/** Writes resources as YAML: in the form that `apply` and `register` read. */
import { Document, isMap, isSeq } from 'yaml';
import type { Registration } from '../../types.ts';
import { plain } from '../output.ts';

/** A resource, and lines that stand before it. */
export interface Entry {
  readonly item: Registration;
  readonly comments: readonly string[];
}

const isDefault = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** The fields that differ from their defaults. */
export function shortened({ name, capacity, afterUse, outOfService, dirty, ...others }: Registration): object {
  const rest = Object.entries(others).filter(([, value]) => !isDefault(value));
  return {
    name,
    ...(capacity != null && capacity !== 1 && { capacity }),
    ...Object.fromEntries(rest),
    ...(afterUse === 'dirty' && { afterUse }),
  };
}

/** Maps and lists on one line; a list of maps has a line for each. */
function flatten(value: unknown): void {
  if (isSeq(value) && value.items.some(isMap)) value.items.forEach(flatten);
  else if (isMap(value) || isSeq(value)) value.flow = true;
}

/** One resource. Older readers of YAML take `yes` for true, so it is quoted. */
function textOf(item: Registration): string {
  const document = new Document([shortened(item)], { schema: 'yaml-1.1' });
  const { contents } = document;
  const [entry] = isSeq(contents) ? contents.items : [];
  if (isMap(entry)) for (const { value } of entry.items) flatten(value);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

const commentOf = (line: string) => `# ${plain(line)}`.trimEnd();

/** @param head comment lines of the whole file @param tail the same, at its end */
export function labText(entries: readonly Entry[], head: readonly string[] = [], tail: readonly string[] = []): string {
  const parts = [
    head.map(commentOf).join('\n'),
    entries.map(({ item, comments }) => [...comments.map(commentOf), textOf(item).trimEnd()].join('\n')).join('\n'),
    tail.map(commentOf).join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
