/** Reads files of resources: those of `register` and `apply`, and those that `import` translates. */
import { parse } from 'yaml';
import type { Registration } from '../../types.ts';
import { nameOfFile, readText } from '../connect.ts';
import { EXIT, ExitError } from '../exitCodes.ts';
import { didYouMean, shown } from '../nearest.ts';

export type Texts = Readonly<Record<string, string>>;

export const badFile = (message: string): ExitError => new ExitError(EXIT.badInput, message);

/** Reads YAML. JSON is YAML, too. @throws ExitError that names the file */
export function readYaml(file: string): unknown {
  const text = readText(file);
  try {
    return parse(text);
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw badFile(`${nameOfFile(file)} is neither YAML nor JSON: ${reason.replace(/:$/, '')}`);
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The service checks the fields: here it is a list of objects. */
const isList = (value: unknown): value is Registration[] => Array.isArray(value) && value.every(isObject);

/** The resources of a file, as they are. @throws ExitError */
export function readResources(file: string): Registration[] {
  const value = readYaml(file);
  const list = Array.isArray(value) ? value : [value];
  if (isList(list)) return list;
  throw badFile(`${nameOfFile(file)} has to be a list of resources, such as: - name: printer`);
}

/** Says what is wrong with a value; undefined if nothing is. @param path the field */
type Check = (value: unknown, path: string) => string | undefined;

const isA =
  (type: 'string' | 'boolean', wanted: string): Check =>
  (value, path) => {
    // YAML reads 3.19 as a number.
    const hint = type === 'string' && typeof value === 'number' ? `: write '${value}'` : '';
    return typeof value === type ? undefined : `${path} has to be ${wanted}${hint}`;
  };

const text = isA('string', 'a text');
const flag = isA('boolean', 'true or false');
const integer: Check = (value, path) => (Number.isInteger(value) ? undefined : `${path} has to be a whole number`);
const condition: Check = (value, path) =>
  value === 'ready' || value === 'dirty' ? undefined : `${path} has to be ready or dirty`;

const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.map((item, i) => check(item, `${path}[${i}]`)).find((fault) => fault !== undefined)
      : `${path} has to be a list`;

const texts: Check = (value, path) =>
  isObject(value)
    ? Object.entries(value)
        .map(([key, item]) => text(item, `${path}.${key}`))
        .find((fault) => fault !== undefined)
    : `${path} has to have keys and texts`;

const FIELDS: Readonly<Record<keyof Registration, Check>> = {
  name: text,
  capacity: integer,
  blocks: listOf(text),
  treePath: text,
  group: flag,
  groups: flag,
  labels: texts,
  afterUse: condition,
  attributes: texts,
  slotAttributes: listOf(texts),
  bookable: flag,
  // Of a listed definition; the service passes them over.
  outOfService: integer,
  dirty: integer,
};

function faultOf(item: Readonly<Record<string, unknown>>): string | undefined {
  const { name } = item;
  if (typeof name !== 'string') return 'a resource has no name, or one that is no text';
  const faults = Object.entries(item).map(([field, value]) => {
    const check = Object.entries(FIELDS).find(([known]) => known === field)?.[1];
    if (check === undefined) return `${shown(field)} is not a known field${didYouMean(field, Object.keys(FIELDS))}`;
    return value === null ? undefined : check(value, field);
  });
  const fault = faults.find((one) => one !== undefined);
  return fault === undefined ? undefined : `${name}: ${fault}`;
}

/**
 * The resources of a file for `apply`. All of it is checked before anything is changed.
 * @throws ExitError that names the resource and the field
 */
export function readLab(file: string): Registration[] {
  const items: Registration[] = readResources(file);
  if (items.length === 0) throw badFile(`${nameOfFile(file)} has no resources`);
  const names = new Set<string>();
  for (const item of items) {
    const fault = faultOf({ ...item });
    if (fault !== undefined) throw badFile(`${nameOfFile(file)}: ${fault}`);
    if (names.has(item.name)) throw badFile(`${nameOfFile(file)} has ${item.name} twice`);
    names.add(item.name);
  }
  return items;
}
