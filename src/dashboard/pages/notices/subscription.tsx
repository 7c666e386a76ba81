/**
 * One subscription: what it is sent, its last deliveries, a test, a new secret, and the form that changes it.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Attempt } from '../../../domain/notices.ts';
import { readDeliveries, testSubscription } from '../../../operations/deliveries.ts';
import {
  changeSubscription,
  deleteSubscription,
  type ListedSubscription,
  readSubscription,
  rotateSecret,
} from '../../../operations/subscriptions.ts';
import { Confirm } from '../../components/confirm.tsx';
import { DeliveryTable, resultText } from '../../components/deliveryTable.tsx';
import { Page } from '../../components/layout.tsx';
import {
  asAsked,
  asTyped,
  SubscriptionFields,
  SubscriptionForm,
  type TypedSubscription,
} from '../../components/subscriptionForm.tsx';
import { NOTICES, ONE_NOTICE, Stopped, subscriptionPath, WebhookSecret } from '../../components/subscriptionParts.tsx';
import { When } from '../../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, type Failed, readForm } from '../../form.ts';
import { SubscriptionChange, SubscriptionParams } from '../../formSchemas.ts';
import { whoDid } from '../../words/auditSentences.ts';
import { KIND_WORDS, placeText, stateText, typesText } from '../../words/noticeWords.ts';
import { number } from '../../words/numbers.ts';

const Query = z.object({ id: z.string() });

export const subscriptionRoutes = (deps: DashboardDeps) => {
  const app = new Hono<DashboardEnv>();
  if (deps.tenants === null) return app;
  const notices = { ...deps, ...deps.tenants };

  const show = async (c: Context<DashboardEnv>, id: string, shown: Shown = {}) => {
    const { viewer } = c.var;
    const { failed, typed } = shown;
    const one = (await readSubscription(notices, viewer, idOf({ id }))).result;
    const attempts = (await readDeliveries(notices, viewer, one.id)).result;
    const props = { ...shown, viewer, one, attempts, done: c.req.query('done'), typed: typed ?? asTyped(one) };
    return c.html(<SubscriptionPage {...props} />, failed?.status ?? 200);
  };

  return app
    .get(ONE_NOTICE, (c) => show(c, c.req.query('id') ?? ''))
    .post(ONE_NOTICE, async (c) => {
      const typed = await readForm(c, SubscriptionForm, true);
      const saved = await attempt(deps, c, async () =>
        changeSubscription(notices, c.var.viewer, idOf(typed), check(SubscriptionChange, asAsked(typed))),
      );
      return saved.ok
        ? c.redirect(`${subscriptionPath(typed.id)}&done=saved`, 303)
        : show(c, typed.id, { failed: saved, typed });
    })
    .post(`${ONE_NOTICE}/rotate`, async (c) => {
      const form = await readForm(c, Query);
      const rotated = await attempt(deps, c, async () => rotateSecret(notices, c.var.viewer, idOf(form)));
      return show(c, form.id, rotated.ok ? { secret: rotated.result.result.secret } : { failed: rotated });
    })
    .post(`${ONE_NOTICE}/test`, async (c) => {
      const form = await readForm(c, Query);
      const tested = await attempt(deps, c, async () => testSubscription(notices, c.var.viewer, idOf(form)));
      return show(c, form.id, tested.ok ? { tested: tested.result.result } : { failed: tested });
    })
    .post(`${ONE_NOTICE}/delete`, async (c) => {
      const form = await readForm(c, Query);
      const deleted = await attempt(deps, c, async () => deleteSubscription(notices, c.var.viewer, idOf(form)));
      return deleted.ok ? c.redirect(`${NOTICES}?done=deleted`, 303) : show(c, form.id, { failed: deleted });
    });
};

/** @throws HoldfastError refused */
const idOf = ({ id }: { readonly id: string }): string => check(SubscriptionParams, { id }).id;

/** What a form leads to besides the subscription. */
interface Shown {
  readonly failed?: Failed | undefined;
  readonly typed?: TypedSubscription | undefined;
  /** A new secret. */
  readonly secret?: string | undefined;
  /** The result of a test. */
  readonly tested?: Tested | undefined;
}

type Tested = Pick<Attempt, 'status' | 'fault' | 'durationMs'>;

interface SubscriptionPageProps extends Shown {
  readonly viewer: Viewer;
  readonly one: ListedSubscription;
  /** The last attempts to deliver to it, the latest first. */
  readonly attempts: readonly Attempt[];
  readonly done: string | undefined;
  readonly typed: TypedSubscription;
}

const SubscriptionPage = ({ viewer, one, attempts, done, failed, typed, secret, tested }: SubscriptionPageProps) => (
  <Page title={one.label} viewer={viewer} at={NOTICES} done={done} failed={failed}>
    <p>
      <a href={NOTICES}>All notices</a>
    </p>
    <div class="stack">
      <Stopped one={one} />
      {secret !== undefined && <WebhookSecret label={one.label} value={secret} />}
      {tested !== undefined && <TestNotice tested={tested} />}
      <About one={one} />
      <section class="card" aria-labelledby="deliveries-title">
        <header>
          <h2 id="deliveries-title">Last deliveries</h2>
        </header>
        <DeliveryTable attempts={attempts} />
      </section>
    </div>
    <SubscriptionFields action={ONE_NOTICE} typed={typed} host={one.host} />
  </Page>
);

const TestNotice = ({ tested: { status, fault, durationMs } }: { tested: Tested }) => (
  <p class={fault === null ? 'notice good' : 'notice bad'} role="alert">
    {fault === null ? 'The test has arrived' : 'The test has failed'} after {number(durationMs)} ms:{' '}
    {resultText(status, fault)}.
  </p>
);

const About = ({ one }: { one: ListedSubscription }) => (
  <section class="card" aria-label={`About ${one.label}`}>
    <dl class="props">
      <dt>Kind</dt>
      <dd>{KIND_WORDS[one.kind]}</dd>
      <dt>To</dt>
      <dd>{placeText(one)}</dd>
      <dt>Events</dt>
      <dd>{typesText(one.types)}</dd>
      <dt>State</dt>
      <dd>{stateText(one)}</dd>
      <dt>Made by</dt>
      <dd>
        {whoDid(one.createdBy)}, <When at={one.createdAt} as="ago" />
      </dd>
    </dl>
    <div class="buttons pad">
      <form method="post" action={`${ONE_NOTICE}/test`}>
        <input type="hidden" name="id" value={one.id} />
        <button type="submit">Send a test</button>
      </form>{' '}
      {one.kind === 'webhook' && (
        <Confirm
          id="rotate"
          label="New secret"
          question={`Give “${one.label}” a new secret? For 24 hours the old one signs, too.`}
          action={`${ONE_NOTICE}/rotate`}
          fields={{ id: one.id }}
        />
      )}{' '}
      <Confirm
        id="delete"
        label="Delete"
        question={`Delete “${one.label}”? What was not sent yet is dropped.`}
        action={`${ONE_NOTICE}/delete`}
        fields={{ id: one.id }}
      />
    </div>
  </section>
);
