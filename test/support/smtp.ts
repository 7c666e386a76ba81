/**
 * A real SMTP server that keeps what it gets.
 */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { until } from './until.ts';

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** The header's fields, unfolded, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body, decoded. */
  readonly text: string;
}

export interface MailServer {
  /** As for SMTP_URL. */
  readonly url: string;
  readonly received: Received[];
  /** Addresses that it refuses, with a status. */
  readonly refused: Map<string, number>;
  /** The messages of an address, once there are so many. */
  messagesOf(address: string, count: number): Promise<readonly Received[]>;
  stop(): Promise<void>;
}

/** @param port 0: any free one */
export async function startMailServer(port = 0): Promise<MailServer> {
  const received: Received[] = [];
  const refused = new Map<string, number>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _, callback) => {
      const status = refused.get(address);
      callback(status === undefined ? null : Object.assign(new Error('not here'), { responseCode: status }));
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, ...parse(Buffer.concat(chunks).toString()) });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  const messagesOf = (to: string) => received.filter((message) => message.to.includes(to));
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    refused,
    messagesOf: (to, count) =>
      until(`${count} messages to ${to}`, () => (messagesOf(to).length >= count ? messagesOf(to) : null)),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parse(message: string): Pick<Received, 'headers' | 'text'> {
  const [head = '', ...rest] = message.split('\r\n\r\n');
  const fields = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n');
  const headers = new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), decodeWords(field.slice(colon + 1).trim())];
    }),
  );
  return { headers, text: decode(rest.join('\r\n\r\n'), headers.get('content-transfer-encoding') ?? '7bit') };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  const bytes = encoding === 'quoted-printable' ? unquote(body.replaceAll(/=\r\n/g, '')) : body;
  return bytes.replaceAll('\r\n', '\n');
}

const unquote = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

/** Decodes `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?= =\?UTF-8\?/gi, '?==?UTF-8?')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : unquote(word.replaceAll('_', ' ')),
    );
