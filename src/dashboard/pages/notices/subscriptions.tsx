/**
 * Notices, for those who may change settings: who is sent the tenant's events, by webhook, Slack or e-mail
 * (docs/specification.md#subscriptions). The secret of a webhook is on the page that answers its creation or rotation,
 * and nowhere else.
 */
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { SUBSCRIPTION_KINDS, type SubscriptionKind } from '../../../domain/notices.ts';
import { createSubscription, type ListedSubscription, listSubscriptions } from '../../../operations/subscriptions.ts';
import { Count } from '../../components/head.tsx';
import { NeedsDatabase, Page } from '../../components/layout.tsx';
import {
  asAsked,
  newSubscription,
  SubscriptionFields,
  SubscriptionForm,
  type TypedSubscription,
} from '../../components/subscriptionForm.tsx';
import {
  NOTICES,
  SLACK_APP,
  Stopped,
  SubscriptionTable,
  subscriptionPath,
  WebhookSecret,
} from '../../components/subscriptionParts.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, type Failed, NO_DATABASE, readForm } from '../../form.ts';
import { NewSubscription } from '../../formSchemas.ts';
import { MY_NOTICES } from '../../paths.ts';
import { KIND_WORDS } from '../../words/noticeWords.ts';

const Kind = z.enum(SUBSCRIPTION_KINDS).catch('webhook');

export const subscriptionsRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const notices = tenants && { ...deps, ...tenants };

  const show = async (c: Context<DashboardEnv>, failed?: Failed, typed?: TypedSubscription, made?: Made) => {
    const { viewer } = c.var;
    const all = notices && (await listSubscriptions(notices, viewer)).result;
    const form = typed ?? newSubscription(Kind.parse(c.req.query('kind')), randomUUID());
    const props = { viewer, done: c.req.query('done'), failed, all, form, made };
    return c.html(<NoticesPage {...props} />, failed?.status ?? 200);
  };

  return new Hono<DashboardEnv>()
    .get(NOTICES, (c) => show(c))
    .post(NOTICES, async (c) => {
      const typed = await readForm(c, SubscriptionForm, true);
      if (notices === null) return show(c, NO_DATABASE);
      const tried = await attempt(deps, c, async () => {
        const { id, kind } = typed;
        return createSubscription(notices, c.var.viewer, check(NewSubscription, { ...asAsked(typed), id, kind }));
      });
      if (!tried.ok) return show(c, tried, typed);
      const { made, secret } = tried.result.result;
      return secret === null
        ? c.redirect(`${subscriptionPath(made.id)}&done=saved`, 303)
        : show(c, undefined, undefined, { label: made.label, value: secret });
    });
};

/** A webhook that has just been made. */
interface Made {
  readonly label: string;
  readonly value: string;
}

interface NoticesPageProps {
  readonly viewer: Viewer;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
  /** null: there is no database */
  readonly all: readonly ListedSubscription[] | null;
  readonly form: TypedSubscription;
  readonly made: Made | undefined;
}

const NoticesPage = ({ viewer, done, failed, all, form, made }: NoticesPageProps) => {
  const counts = all && <Count of={all.length} word={all.length === 1 ? 'subscription' : 'subscriptions'} />;
  return (
    <Page title="Notices" head={{ counts }} viewer={viewer} at={NOTICES} done={done} failed={failed}>
      <p>
        Programs and channels that are sent what happens in this tenant. What you are told yourself you choose on{' '}
        <a href={MY_NOTICES}>My notices</a>. For commands and channels in Slack, register a{' '}
        <a href={SLACK_APP}>Slack app</a>.
      </p>
      {all?.map((one) => (
        <Stopped one={one} />
      ))}
      {made !== undefined && <WebhookSecret {...made} />}
      {all !== null && all.length > 0 && <SubscriptionTable all={all} />}
      {all === null ? (
        <NeedsDatabase what="To send events by webhook, Slack or e-mail" />
      ) : (
        <>
          <Kinds kind={form.kind} />
          <SubscriptionFields action={NOTICES} typed={form} />
        </>
      )}
    </Page>
  );
};

/** The kinds of a new subscription. */
const Kinds = ({ kind }: { kind: SubscriptionKind }) => (
  <nav class="tabs" aria-label="Kind of a new subscription">
    {SUBSCRIPTION_KINDS.map((one) => (
      <a href={`${NOTICES}?kind=${one}#subscription`} aria-current={one === kind ? 'true' : undefined}>
        {KIND_WORDS[one]}
      </a>
    ))}
  </nav>
);
