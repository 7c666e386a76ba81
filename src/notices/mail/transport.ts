/**
 * Sends e-mail by the configured server. Loaded only if there is one.
 */
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { MailRefused } from './refused.ts';

/** The server, and who e-mail is from. */
interface MailServer {
  readonly smtpUrl: string;
  /** The address of the sender. */
  readonly from: string;
}

/** An e-mail to one person, in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** A POST to it ends such e-mail. Programs do that for people who click on "unsubscribe". */
  readonly unsubscribeUrl: string;
}

export interface Transport {
  /**
   * @throws MailRefused if the server takes no such message for this address; another error if it takes none at all
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Errors that follow the sender, the recipient or the message, not those of connections and passwords. */
const Refusal = z.object({ code: z.enum(['EENVELOPE', 'EMESSAGE']), responseCode: z.int() });

/** Connections at a time. */
const CONNECTIONS = 5;
/** All three together take less than an attempt. */
const TIMEOUTS = { connectionTimeout: 3000, greetingTimeout: 3000, socketTimeout: 4000 };

export function openTransport({ smtpUrl, from }: MailServer): Transport {
  const transport = createTransport({
    ...{ url: smtpUrl, pool: true, maxConnections: CONNECTIONS, ...TIMEOUTS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    send: async ({ to, subject, text, unsubscribeUrl }) => {
      try {
        await transport.sendMail({
          from: { name: 'Holdfast', address: from },
          to: { name: '', address: to },
          subject,
          text,
          headers: {
            'Auto-Submitted': 'auto-generated',
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          },
        });
      } catch (error) {
        const { data } = Refusal.safeParse(error);
        throw data === undefined ? error : new MailRefused(data.responseCode, error);
      }
    },
    close: () => transport.close(),
  };
}
