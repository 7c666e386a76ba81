/**
 * Examples as readers see them: the request as a command line of curl, the response as JSON.
 */
import type { Example, ExampleCaller } from './examples.ts';

/** The address of an instance in the documentation. */
export const DOCUMENTED_ORIGIN = 'http://localhost:8080';

const MAX_WIDTH = 110;
/** Of the lines of a command. */
const MAX_COMMAND = 100;

/** Writes JSON with what fits into a line in one line. */
export function layOut(value: unknown, indent = ''): string {
  const flat = oneLine(value);
  if (flat.length + indent.length <= MAX_WIDTH || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const parts = isArray
    ? value.map((part) => layOut(part, inner))
    : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${layOut(part, inner)}`);
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `${JSON.stringify(name)}: ${oneLine(part)}`)
    .join(', ')}}`;
}

const CREDENTIALS: Readonly<Record<ExampleCaller, string | null>> = {
  key: '-H "X-Api-Key: $KEY"',
  'read key': '-H "X-Api-Key: $READ_KEY"',
  'wrong key': '-H "X-Api-Key: hf_acme_wrong"',
  'derived token': '-H "X-Api-Key: $DERIVED_TOKEN"',
  'management token': '-H "Authorization: Bearer $TOKEN"',
  session: '-b "holdfast_session=$SESSION"',
  nobody: null,
};

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The command that makes the request. */
export function curlOf({ as, method, address, headers = {}, body }: Example, origin: string): string {
  const url = `${origin}${address}`;
  const verb = method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`];
  const credential = CREDENTIALS[as];
  // A change with a session must come from a page of the service.
  const needsOrigin = as === 'session' && method !== 'GET';
  const isStream = address.startsWith('/api/v1/events');
  const first = ['curl', isStream ? '-sN' : '-s', ...verb, /[?&>]/.test(url) ? quoted(url) : url].join(' ');
  const options = [
    ...(credential === null ? [] : [credential]),
    ...(needsOrigin ? [`-H 'Origin: ${origin}'`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(bodyOf(body))}`]),
  ];
  return joined(first, options);
}

const bodyOf = (body: unknown) => (typeof body === 'string' ? body : layOut(body));

/** Breaks a command into lines. */
function joined(first: string, options: readonly string[]): string {
  const lines = [first];
  for (const option of options) {
    const last = lines.at(-1) ?? '';
    const fits = last.length + option.length < MAX_COMMAND && !option.includes('\n') && !last.includes('\n');
    if (fits) lines[lines.length - 1] = `${last} ${option}`;
    else lines.push(`  ${option}`);
  }
  return lines.join(' \\\n');
}

/** The body of a response. */
export const responseOf = ({ response }: Example): string =>
  typeof response === 'string' && response.includes('\n') ? response.replaceAll('\r\n', '\n').trim() : layOut(response);
