/** Translates the resources of Jenkins' plugin Lockable Resources, as Configuration as Code has them. */
import { nameOfFile } from '../connect.ts';
import { badFile } from '../lab/file.ts';
import type { Entry } from '../lab/write.ts';
import type { Translation } from './boskos.ts';
import { type Fields, fieldsOf, Labels, listOf, nameFault, quoted, textOf, wordsOf } from './labels.ts';

/** So many lines say which match takes the place of a label. */
const MAX_MATCHES = 100;
const MAX_ATTRIBUTES = 16;
const MAX_ATTRIBUTE = 1024;
const SECRET = /passw|secret|token|credential|api_?key|private/i;

/** The settings of the plugin: in a whole file, or in a part of it. */
function managerOf(root: unknown): Fields {
  const inside = fieldsOf(fieldsOf(root).unclassified ?? root);
  return fieldsOf(inside.lockableResourcesManager ?? inside);
}

/** Properties become attributes: `HOST` is `HOLDFAST_ATTR_HOST` of the command. */
function attributesOf(properties: readonly unknown[]): { attributes: Record<string, string>; comments: string[] } {
  const attributes = new Map<string, string>();
  const comments: string[] = [];
  for (const property of properties.map(fieldsOf)) {
    const [name, value] = [textOf(property.name), textOf(property.value)];
    const key = name
      .replaceAll(/\W/g, '_')
      .replace(/^(?![A-Za-z])/, 'P')
      .slice(0, 64);
    const isTwice = [...attributes.keys()].some((known) => known.toLowerCase() === key.toLowerCase());
    if (SECRET.test(name)) comments.push(`Property ${name} is left out: attributes are stored in clear.`);
    else if (isTwice) comments.push(`Property ${name} is left out: there is another ${key}.`);
    else if (value.length > MAX_ATTRIBUTE)
      comments.push(`Property ${name} is left out: it has more than ${MAX_ATTRIBUTE} characters.`);
    else if (attributes.size === MAX_ATTRIBUTES)
      comments.push(`Property ${name} is left out: a resource has at most ${MAX_ATTRIBUTES} attributes.`);
    else {
      if (key !== name) comments.push(`Property ${name} is called ${key} here.`);
      attributes.set(key, value);
    }
  }
  return { attributes: Object.fromEntries(attributes), comments };
}

function entryOf(resource: Fields, labels: Labels): Entry {
  const name = textOf(resource.name);
  const { labels: own, left } = labels.labelsOf(wordsOf(textOf(resource.labels)));
  const { attributes, comments } = attributesOf(listOf(resource.properties));
  const [description, note] = [textOf(resource.description), textOf(resource.note)];
  if (left.length > 0) comments.unshift(`No room for these labels: ${left.join(' ')}`);
  if (note !== '') comments.unshift(`Note: ${note}`);
  if (description !== '') comments.unshift(description);
  return { item: { name, labels: own, attributes }, comments };
}

/** Settings of the plugin that have no counterpart in the file. */
function settingsOf({ allowEphemeralResources, remotes }: Fields): string[] {
  const lines: string[] = [];
  if (allowEphemeralResources === false)
    lines.push('allowEphemeralResources: false is the setting requireRegistration of the tenant.');
  if (listOf(remotes).length > 0)
    lines.push('remotes: all controllers call the same service, so nothing has to be set up.');
  return lines;
}

function headOf(labels: Labels): string[] {
  const { matches } = labels;
  const shown = matches
    .slice(0, MAX_MATCHES)
    .map(([word, match]) => `  lock(label: '${word}')  →  --match ${quoted(match)}`);
  if (matches.length > MAX_MATCHES) shown.push(`  and ${matches.length - MAX_MATCHES} more`);
  return [
    'From lockable resources of Jenkins. Check it, then: holdfast apply -f <this file>',
    ...(shown.length > 0 ? ['', 'Labels have a key and a value here:', ...shown] : []),
  ];
}

function tailOf(resources: readonly Fields[]): string[] {
  const reserved = resources.filter(({ reservedBy }) => textOf(reservedBy) !== '');
  const lines = reserved.map(({ name, reservedBy, note }) => {
    const reason = [textOf(reservedBy), textOf(note)].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ');
    return `  holdfast condition ${quoted(textOf(name))} out --reason ${quoted(reason)}`;
  });
  const head = [
    'Reserved in Jenkins. After the apply, take these out of service. Where a person works with it,',
    'let them reserve it on the Board instead.',
  ];
  return lines.length === 0 ? [] : [...head, ...lines];
}

/** @throws ExitError if the file has no such resources */
export function fromJenkins(root: unknown, file: string): Translation {
  const manager = managerOf(root);
  const all = listOf(manager.declaredResources ?? manager.resources).map(fieldsOf);
  if (all.length === 0)
    throw badFile(
      `${nameOfFile(file)} has no resources in unclassified.lockableResourcesManager.declaredResources: is it the YAML that the ` +
        'plugin Configuration as Code downloads?',
    );
  const notes: string[] = settingsOf(manager);
  const kept = new Map<string, Fields>();
  for (const resource of all) {
    const name = textOf(resource.name);
    const fault = nameFault(name);
    if (name === '') notes.push('A resource without a name is left out.');
    else if (fault !== undefined) notes.push(`${name} is left out: ${fault}.`);
    else if (resource.ephemeral === true) notes.push(`${name} is ephemeral: such names need no registration.`);
    else if (kept.has(name)) notes.push(`${name} is there twice: the first one counts.`);
    else kept.set(name, resource);
  }
  const resources = [...kept.values()];
  const labels = new Labels(resources.map((resource) => wordsOf(textOf(resource.labels))));
  return {
    entries: resources.map((resource) => entryOf(resource, labels)),
    head: [...headOf(labels), ...(notes.length > 0 ? ['', ...notes] : [])],
    tail: tailOf(resources),
  };
}
