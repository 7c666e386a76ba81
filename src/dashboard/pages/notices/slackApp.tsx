/**
 * The Slack app of a tenant, for those who may change settings: its bot writes to channels, and its commands reserve
 * (docs/specification.md#reserving-from-slack). Its token and secret are on no page.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../../domain/errors.ts';
import { deleteSlackApp, putSlackApp, readSlackApp } from '../../../operations/slack.ts';
import type { SlackApp } from '../../../store/slack.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Page } from '../../components/layout.tsx';
import { NOTICES, SLACK_APP } from '../../components/subscriptionParts.tsx';
import { When } from '../../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, type Failed, readForm } from '../../form.ts';
import { NewSlackApp } from '../../formSchemas.ts';
import { originOf } from '../../paths.ts';
import { whoDid } from '../../words/auditSentences.ts';

const Form = z.object({ botToken: z.string(), signingSecret: z.string() });

export const slackAppRoutes = (deps: DashboardDeps) => {
  const app = new Hono<DashboardEnv>();
  if (deps.tenants === null) return app;
  const slack = { ...deps, ...deps.tenants };

  const show = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const { viewer } = c.var;
    const known = await readSlackApp(slack, viewer).catch((error: unknown) => {
      if (error instanceof HoldfastError && error.code === 'unknown') return null;
      throw error;
    });
    const endpoint = `${originOf(deps, c)}/integrations/slack/${viewer.credential.tenant}`;
    const props = { viewer, app: known?.result ?? null, endpoint, done: c.req.query('done'), failed };
    return c.html(<SlackAppPage {...props} />, failed?.status ?? 200);
  };

  return app
    .get(SLACK_APP, (c) => show(c))
    .post(SLACK_APP, async (c) => {
      const form = await readForm(c, Form);
      const trimmed = { botToken: form.botToken.trim(), signingSecret: form.signingSecret.trim() };
      const put = await attempt(deps, c, async () => putSlackApp(slack, c.var.viewer, check(NewSlackApp, trimmed)));
      return put.ok ? c.redirect(`${SLACK_APP}?done=saved`, 303) : show(c, put);
    })
    .post(`${SLACK_APP}/delete`, async (c) => {
      const deleted = await attempt(deps, c, async () => deleteSlackApp(slack, c.var.viewer));
      return deleted.ok ? c.redirect(`${SLACK_APP}?done=deleted`, 303) : show(c, deleted);
    });
};

interface SlackAppPageProps {
  readonly viewer: Viewer;
  /** null: there is none */
  readonly app: SlackApp | null;
  /** The address that Slack sends commands to. */
  readonly endpoint: string;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
}

const SlackAppPage = ({ viewer, app, endpoint, done, failed }: SlackAppPageProps) => (
  <Page title="Slack app" viewer={viewer} at={NOTICES} done={done} failed={failed}>
    <p>
      <a href={NOTICES}>All notices</a>
    </p>
    <p>
      With an app of your own in Slack, people reserve there by <code>/holdfast</code>, and its bot writes to channels.
      Its command and its buttons send to <code>{endpoint}</code>.
    </p>
    {app !== null && <Registered app={app} />}
    <form method="post" action={SLACK_APP} class="fields">
      <h2>{app === null ? 'Register the app' : 'Replace the app'}</h2>
      <label>
        Bot token{' '}
        <input type="password" name="botToken" required maxlength={255} placeholder="xoxb-…" autocomplete="off" />
      </label>
      <label>
        Signing secret <input type="password" name="signingSecret" required maxlength={128} autocomplete="off" />
      </label>
      <p class="hint">
        Both are encrypted, and never shown. Slack is asked for which workspace the token is.
        {app !== null && ' Another workspace or signing secret ends the links of all accounts in Slack.'}
      </p>
      <button type="submit">{app === null ? 'Register' : 'Replace'}</button>
    </form>
  </Page>
);

const Registered = ({ app: { teamName, teamId, createdBy, createdAt } }: { app: SlackApp }) => (
  <div class="stack">
    <section class="card" aria-label="The app">
      <dl class="props">
        <dt>Workspace</dt>
        <dd>
          {teamName} ({teamId})
        </dd>
        <dt>Made by</dt>
        <dd>
          {whoDid(createdBy)}, <When at={createdAt} as="ago" />
        </dd>
      </dl>
      <div class="pad">
        <Confirm
          id="remove"
          label="Remove the app"
          question="Remove the app? Commands and messages of its bot end, and so do the links of all accounts in Slack."
          action={`${SLACK_APP}/delete`}
        />
      </div>
    </section>
  </div>
);
