/** Translates the resources of Boskos. */
import { nameOfFile } from '../connect.ts';
import { badFile } from '../lab/file.ts';
import type { Entry } from '../lab/write.ts';
import { type Fields, fieldsOf, listOf, MAX_CAPACITY, nameFault, quoted, textOf } from './labels.ts';

export interface Translation {
  readonly entries: readonly Entry[];
  /** Comment lines of the whole file. */
  readonly head: readonly string[];
  readonly tail: readonly string[];
}

const isFree = ({ state, config }: Fields) => ['free', ''].includes(textOf(state)) && config === undefined;

/** A resource that may be in use or half cleaned in Boskos is cleaned before a job gets it. */
const afterUseOf = (entry: Fields) => (isFree(entry) ? {} : { afterUse: 'dirty' as const });

function stateComments(entry: Fields): string[] {
  const state = textOf(entry.state);
  if (isFree(entry)) return ['If your jobs release it as dirty, add: afterUse: dirty'];
  if (['free', 'dirty', ''].includes(state)) return [];
  return [`State ${state} becomes dirty: the conditions are ready, dirty and out.`];
}

/** Resources with names of their own. */
function staticEntries(type: string, entry: Fields): Entry[] {
  const comments = stateComments(entry);
  return listOf(entry.names).map((name, i) => ({
    item: { name: textOf(name), labels: { type }, ...afterUseOf(entry) },
    comments: i === 0 ? [`Type ${type}`, ...comments] : [],
  }));
}

/** Resources that Boskos makes and deletes: a pool of them. */
function dynamicEntry(type: string, entry: Fields): Entry {
  const [most, least] = [Number(entry['max-count'] ?? 0), Number(entry['min-count'] ?? 0)];
  const capacity = Math.min(MAX_CAPACITY, Math.max(1, most || 0, least || 0));
  const needs = Object.entries(fieldsOf(entry.needs)).map(([other, count]) => `${textOf(count)} ${other}`);
  const comments = [
    `Type ${type}, dynamic: the slots ${type}_0 to ${type}_${capacity - 1}. Holdfast does not make them.`,
  ];
  if (capacity === 1) comments[0] = `Type ${type}, dynamic: one resource. Holdfast does not make it.`;
  if (least > 0) comments.push(`min-count: ${least} has no counterpart: a job that takes a slot makes what it needs.`);
  if (textOf(entry.lifespan) !== '')
    comments.push(`lifespan: ${textOf(entry.lifespan)} has no counterpart: a job of yours may set old ones to dirty.`);
  if (needs.length > 0)
    comments.push(`needs: ${needs.join(', ')}: take these in the same reserve, or in the script that makes it.`);
  if (entry.config !== undefined)
    comments.push(`config: instead of Mason, holdfast clean ${quoted(type)} -- <a script that makes it new>`);
  return {
    item: { name: type, capacity, labels: { type }, ...afterUseOf(entry) },
    comments: [...comments, ...stateComments(entry)],
  };
}

function entriesOf(entry: Fields): Entry[] {
  const type = textOf(entry.type);
  return listOf(entry.names).length > 0 ? staticEntries(type, entry) : [dynamicEntry(type, entry)];
}

/** @throws ExitError if the file has no such resources */
export function fromBoskos(root: unknown, file: string): Translation {
  const all = listOf(Array.isArray(root) ? root : fieldsOf(root).resources).map(fieldsOf);
  const typed = all.filter(({ type }) => textOf(type) !== '');
  if (typed.length === 0) throw badFile(`${nameOfFile(file)} has no list resources with a type each`);
  const notes: string[] = [];
  const names = new Set<string>();
  const entries = typed.flatMap(entriesOf).filter(({ item: { name } }) => {
    const fault = name === '' ? 'it has no name' : nameFault(name);
    if (fault !== undefined) notes.push(`${name} is left out: ${fault}.`);
    else if (names.has(name)) notes.push(`${name} is there twice: the first one counts.`);
    else return names.add(name) !== undefined;
    return false;
  });
  const types = [...new Set(typed.map(({ type }) => textOf(type)))];
  const head = [
    'From resources of Boskos. Check it, then: holdfast apply -f <this file>',
    '',
    'A type is a label here:',
    ...types.map((type) => `  /acquire?type=${type}&state=free&dest=busy  →  --match ${quoted(`type=${type}`)}`),
  ];
  return { entries, head: notes.length > 0 ? [...head, '', ...notes] : head, tail: [] };
}
