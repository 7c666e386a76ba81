/**
 * Makes the senders of notices: webhooks, Slack, e-mail and push. Loaded only if a database is configured.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { unsubscribePath } from '../domain/personalNotices.ts';
import { Sealer } from '../identity/credentials.ts';
import { publicKeyOf } from '../identity/vapidKey.ts';
import { emailOutlet } from '../notices/email.ts';
import { type Mailer, type MailerDeps, makeMailer } from '../notices/mail/mailer.ts';
import type { PushDeps } from '../notices/push/device.ts';
import { makeVapid } from '../notices/push/vapid.ts';
import type { Outlets } from '../notices/sending.ts';
import { type SlackDeps, slackOutlet } from '../notices/slack.ts';
import { webhookOutlet } from '../notices/webhook.ts';
import { isStillWanted, unsubscribeToken } from '../operations/unsubscribe.ts';
import type { SlackSite } from '../outgoing/slack.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Store } from '../store/records.ts';

interface OutletDeps {
  readonly store: Store;
  /** Returns the connection for BullMQ, which only e-mail needs. */
  readonly connect: () => RedisClient;
  readonly slack: SlackSite;
  readonly log: Logger;
}

export interface Outgoing {
  readonly outlets: Outlets;
  readonly slack: SlackDeps;
  /** null: this service pushes nothing */
  readonly push: PushDeps | null;
  /** null: this service sends no e-mail */
  readonly mail: { readonly mailer: Mailer; readonly deps: MailerDeps } | null;
  close(): Promise<void>;
}

export async function makeOutlets(config: Config, { store, connect, slack: site, log }: OutletDeps): Promise<Outgoing> {
  const { publicUrl, vapidKey, webhookRules } = config;
  const sealer = new Sealer(config.database?.keySecret ?? '');
  const open = (sealed: string) => sealer.open(sealed);
  const slack = { site, store, open, publicUrl };
  const push =
    vapidKey === null
      ? null
      : {
          vapid: makeVapid({ privateKey: vapidKey, publicKey: publicKeyOf(vapidKey) }, publicUrl ?? ''),
          rules: webhookRules,
          open,
        };
  const webhookAndSlack = { webhook: webhookOutlet(webhookRules), slack: slackOutlet(slack) };
  if (config.mail === null) return { outlets: webhookAndSlack, slack, push, mail: null, close: async () => {} };
  const { openTransport } = await import('../notices/mail/transport.ts');
  const transport = openTransport(config.mail);
  const deps: MailerDeps = {
    redis: store.redis,
    connection: connect(),
    transport,
    publicUrl: publicUrl ?? '',
    unsubscribeUrl: async (address, sources) =>
      `${publicUrl}${unsubscribePath(await unsubscribeToken(sealer, { address, sources }))}`,
    isWanted: (address, source) => isStillWanted({ store, sealer }, address, source),
    log,
  };
  const mailer = makeMailer(deps);
  return {
    outlets: { ...webhookAndSlack, email: emailOutlet({ mailer, redis: store.redis, store }) },
    slack,
    push,
    mail: { mailer, deps },
    close: async () => {
      await mailer.close();
      transport.close();
    },
  };
}
