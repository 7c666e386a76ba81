/**
 * One operation of the reference: what it does, who may call it, what it takes and returns.
 */

import { callersInWords } from './callers.ts';
import type { Call, Document, Parameter, Response } from './document.ts';
import type { Example, Examples } from './examples.ts';
import { type Fields, fieldsOf, parameterRow, typeOf } from './fields.ts';
import { type Block, code, heading, table, text } from './html.ts';
import { curlOf, responseOf } from './requests.ts';
import { RULES, SPECIFICATION } from './rules.ts';

const FIELDS = ['field', 'type and limits', 'default', 'meaning'];
const PLACES = { path: '**Path parameters**', query: '**Query parameters**', header: '**Request headers**' } as const;

/** Statuses that README.md describes once for all operations. */
const COMMON = new Set(['401', '408', '413', '415', '429', '500', '503']);

/** @param origin the address of the instance that examples name */
export function operationBlocks(call: Call, document: Document, examples: Examples, origin: string): Block[] {
  const { method, path, summary, description, requestBody, operationId } = call;
  const [first, ...others] = (examples[operationId] ?? []).filter(({ status }) => status < 300);
  return [
    heading(2, summary),
    code('http', `${method} ${path}`),
    ...(description ? [text(description)] : []),
    text(`**Who may call it:** ${callersInWords(call['x-right'])}`),
    ...(first ? exampleBlocks(first, origin) : []),
    ...parameterBlocks(call.parameters ?? [], document),
    ...(requestBody ? bodyBlocks('**Body**', requestBody.content, document) : []),
    ...successBlocks(call, document),
    ...errorBlocks(call, examples[operationId] ?? []),
    ...others.flatMap((other) => exampleBlocks(other, origin)),
    ...ruleBlocks(call),
  ];
}

function parameterBlocks(parameters: readonly Parameter[], { components: { schemas } }: Document): Block[] {
  return (['path', 'query', 'header'] as const).flatMap((place) => {
    const rows = parameters.filter((one) => one.in === place).flatMap((one) => parameterRow(one, schemas));
    return rows.length === 0 ? [] : [text(PLACES[place]), table(['name', ...FIELDS.slice(1)], rows)];
  });
}

function bodyBlocks(
  title: string,
  content: NonNullable<Call['requestBody']>['content'],
  { components: { schemas } }: Document,
): Block[] {
  const { 'application/json': json } = content;
  if (json === undefined) return [];
  const { schema } = json;
  const type = typeOf(schema, schemas);
  const [whole, ...others] = fieldsOf(schema, schemas);
  if (whole === undefined) return [text(`${title}: ${type}.`)];
  return [text(`${title}: ${type === 'object' ? 'an object' : type}.`), ...[whole, ...others].flatMap(fieldBlocks)];
}

const fieldBlocks = ({ title, rows }: Fields): Block[] => [
  ...(title === null ? [] : [text(`${title}:`)]),
  table(FIELDS, rows),
];

const isSuccess = (status: string) => status.startsWith('2');

function successBlocks({ responses }: Call, document: Document): Block[] {
  const successes = Object.entries(responses).filter(([status]) => isSuccess(status));
  const bodies = new Set<string>();
  return successes.flatMap(([status, response]) => {
    const title = `**Response ${status}**`;
    const { schema } = response.content?.['application/json'] ?? response.content?.['text/event-stream'] ?? {};
    const shape = JSON.stringify(schema);
    // A second success with the same body needs no second table.
    const isKnown = bodies.has(shape);
    bodies.add(shape);
    return [
      text(`${title} ${response.description}`),
      ...(isKnown ? [] : responseFields(response, document)),
      ...headerBlocks(response),
    ];
  });
}

function responseFields({ content = {} }: Response, { components: { schemas } }: Document): Block[] {
  const { schema } = content['application/json'] ?? content['text/event-stream'] ?? {};
  if (schema === undefined) return [];
  // Of results that can be minimal, the table shows the whole ones: the header Prefer says what is left out.
  const shown = schema.anyOf?.[0] ?? schema;
  const { type } = shown;
  const [whole, ...others] = fieldsOf(shown, schemas);
  if (whole === undefined)
    return [text(`The body is ${type === 'boolean' ? '`true` or `false`' : typeOf(shown, schemas)}.`)];
  const head = ['field', 'type', 'meaning'];
  const always = ({ rows }: Fields) =>
    rows.map(([name, kind, given, meaning]) => [name, given === 'required' ? kind : `${kind}, may be absent`, meaning]);
  return [whole, ...others].map((one) => table(head, always(one)));
}

function headerBlocks({ headers = {} }: Response): Block[] {
  const rows = Object.entries(headers)
    .filter(([, { $ref }]) => $ref === undefined)
    .map(([name, { description = '' }]) => [`\`${name}\``, description]);
  return rows.length === 0 ? [] : [table(['response header', 'meaning'], rows)];
}

function exampleBlocks(example: Example, origin: string): Block[] {
  const { title, responseHeaders, response } = example;
  const isText = typeof response === 'string' && response.includes('\n');
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `\`${name}: ${value}\``);
  return [
    text(`**Example:** ${title}`),
    code('sh', curlOf(example, origin)),
    ...(headers.length === 0 ? [] : [text(`The response has the header ${headers.join(', ')}.`)]),
    response === '' ? text('The response has no body.') : code(isText ? 'text' : 'json', responseOf(example)),
  ];
}

function errorBlocks({ responses, ...call }: Call, examples: readonly Example[]): Block[] {
  const errors = Object.entries(responses).filter(([status]) => !isSuccess(status));
  const shown = (status: string) => examples.filter((example) => String(example.status) === status);
  const own = errors.filter(
    ([status]) => !COMMON.has(status) || !call.path.startsWith('/api/') || shown(status).length > 0,
  );
  const common = errors.filter((one) => !own.includes(one)).map(([status]) => status);
  const rows = own.flatMap(([status, { description }]) => {
    const [first, ...others] = shown(status).map(errorExample);
    return [[status, description, first ?? ''], ...others.map((other) => ['', '', other])];
  });
  return [
    ...(rows.length === 0 ? [] : [text('**Errors**'), table(['status', 'meaning', 'example'], rows)]),
    ...(common.length === 0 ? [] : [text(`As every call: ${common.join(', ')}. See [Errors](README.md#errors).`)]),
  ];
}

function errorExample({ title, response, responseHeaders = {} }: Example): string {
  const { 'Holdfast-Error': given } = responseHeaders;
  return `${title}: ${given === undefined ? '' : `\`${given}\` `}\`${JSON.stringify(response)}\``;
}

function ruleBlocks({ operationId }: Call): Block[] {
  const links = (RULES[operationId] ?? []).map(([title, anchor]) => `[${title}](${SPECIFICATION}#${anchor})`);
  return links.length === 0 ? [] : [text(`Rules: ${links.join(', ')}.`)];
}
