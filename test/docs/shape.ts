/**
 * Compares what an example printed with what the page shows. Identifiers, times and numbers differ from run to run, and
 * `...` on the page leaves something out.
 */
import { z } from 'zod';

/** Texts that differ from run to run, and their names. The order matters: the first that matches counts. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  [/\bhfm?_[\w-]+/g, '<key>'],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  // As the client makes it: host, process, random.
  [/\b[\w.-]+-\d+-[a-z\d]{8}\b/g, '<requester>'],
  [/\b(\d+[dhms])+\b/g, '<duration>'],
  [/\b\d{5,}\b/g, '<number>'],
];

/** @returns the text with names in place of what differs from run to run */
export const withoutVarying = (text: string): string =>
  VARYING.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text);

/**
 * White space does not count: pages wrap long lines, and the widths of columns differ.
 * @returns null if the text is as shown; else both, without what differs from run to run
 */
export function textDifference(shown: string, printed: string): string | null {
  const [wanted, got] = [shown, printed].map((text) => withoutVarying(text).replaceAll(/\s+/g, ''));
  const pieces = (wanted ?? '').split('...').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[^]*')}$`).test(got ?? '') ? null : `shown: ${wanted}\nprinted: ${got}`;
}

/** @returns null if the JSON is as shown; else the first difference */
export function jsonDifference(shown: string, printed: string): string | null {
  return difference(parse(withRest(shown), 'shown'), parse(printed, 'printed'), '');
}

const Json = z.json();
type Json = z.infer<typeof Json>;

function parse(text: string, which: string): Json {
  try {
    return Json.parse(JSON.parse(text));
  } catch {
    throw new Error(`what is ${which} is no JSON: ${text}`);
  }
}

/** Writes `...` as a member of its object, or an element of its array. */
function withRest(shown: string): string {
  const open: string[] = [];
  return shown.replaceAll(/"(?:[^"\\]|\\.)*"|\.\.\.|[[\]{}]/g, (token) => {
    if (token === '{' || token === '[') open.push(token);
    if (token === '}' || token === ']') open.pop();
    if (token !== '...') return token;
    return open.at(-1) === '{' ? '"...":0' : '"..."';
  });
}

const kindOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'string' ? withoutVarying(value) : typeof value;
};

function difference(shown: Json, printed: Json, path: string): string | null {
  if (Array.isArray(shown) && Array.isArray(printed)) return ofArrays(shown, printed, path);
  if (isObject(shown) && isObject(printed)) return ofObjects(shown, printed, path);
  // A text such as "ann..." leaves something out, too.
  if (typeof shown === 'string' && typeof printed === 'string' && shown.includes('...'))
    return textDifference(shown, printed) === null ? null : `${path}: shown ${shown}, printed ${printed}`;
  if (typeof shown === 'boolean' && shown !== printed) return `${path}: shown ${shown}, printed ${printed}`;
  if (kindOf(shown) === kindOf(printed)) return null;
  return `${path}: shown ${JSON.stringify(shown)}, printed ${JSON.stringify(printed)}`;
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function ofArrays(shown: readonly Json[], printed: readonly Json[], path: string): string | null {
  const isOpen = shown.at(-1) === '...';
  const elements = isOpen ? shown.slice(0, -1) : shown;
  if (isOpen ? printed.length < elements.length : printed.length !== elements.length)
    return `${path}: shown ${shown.length} elements, printed ${JSON.stringify(printed)}`;
  return firstOf(elements.map((element, i) => difference(element, printed[i] ?? null, `${path}[${i}]`)));
}

function ofObjects(shown: { [key: string]: Json }, printed: { [key: string]: Json }, path: string): string | null {
  const names = Object.keys(shown).filter((name) => name !== '...');
  const missing = names.filter((name) => !(name in printed));
  const more = '...' in shown ? [] : Object.keys(printed).filter((name) => !(name in shown));
  if (missing.length > 0) return `${path}: ${missing} shown, but not printed: ${JSON.stringify(printed)}`;
  if (more.length > 0)
    return `${path}: ${more} printed, but not shown (... leaves fields out): ${JSON.stringify(printed)}`;
  return firstOf(names.map((name) => difference(shown[name] ?? null, printed[name] ?? null, `${path}.${name}`)));
}

const firstOf = (differences: readonly (string | null)[]): string | null =>
  differences.find((one) => one !== null) ?? null;
