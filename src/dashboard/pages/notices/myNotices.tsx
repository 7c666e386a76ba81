/**
 * My notices: what a person wants to be told in this tenant, and where (docs/specification.md#personal-notices).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { CHANNELS, type Channel, PERSONAL_NOTICES, type PersonalNotice } from '../../../domain/notices.ts';
import { chooseNotices, type MyNotices, readMyNotices } from '../../../operations/personalNotices.ts';
import { NeedsDatabase, Page } from '../../components/layout.tsx';
import { Scroll } from '../../components/tableParts.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { attempt, type Failed, NO_DATABASE, readForm } from '../../form.ts';
import { MY_NOTICES } from '../../paths.ts';
import { CHANNEL_WORDS, NOTICE_WORDS } from '../../words/noticeWords.ts';
import { isPushOn, Push } from './push.tsx';

/** No channel, one, or several. */
const channel = z.enum(CHANNELS);
const channels = z.union([channel.transform((one) => [one]), z.array(channel)]).default([]);
const Form = z.object({ TURN: channels, BEGINS: channels, ENDS_SOON: channels, WANTED: channels, TAKEN: channels });

export const myNoticesRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const notices = tenants && { ...deps, ...tenants };

  const show = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const { viewer } = c.var;
    const { user, credential } = viewer;
    const mine = notices && (await readMyNotices(notices, credential.tenant, user.id));
    const pushKey = tenants?.pushKey ?? null;
    return c.html(
      <Page
        {...{ title: 'My notices', viewer, at: MY_NOTICES, done: c.req.query('done'), failed }}
        {...(pushKey !== null && { script: 'push.js' as const })}
      >
        {mine === null ? (
          <NeedsDatabase what="To be told by e-mail, Slack or the browser" />
        ) : (
          <Choices mine={mine} channels={CHANNELS.filter((one) => one !== 'push' || pushKey !== null)} />
        )}
        {pushKey !== null && <Push pushKey={pushKey} isOn={await isPushOn(deps, c)} />}
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(MY_NOTICES, (c) => show(c))
    .post(MY_NOTICES, async (c) => {
      if (notices === null) return show(c, NO_DATABASE);
      const choices = await readForm(c, Form, true);
      const { viewer } = c.var;
      const chosen = await attempt(deps, c, () => chooseNotices(notices, viewer, viewer.user.id, choices));
      return chosen.ok ? c.redirect(`${MY_NOTICES}?done=saved`, 303) : show(c, chosen);
    });
};

interface ChoicesProps {
  readonly mine: MyNotices;
  /** The channels that this service has. */
  readonly channels: readonly Channel[];
}

const Choices = ({ mine: { choices, faults, email }, channels }: ChoicesProps) => {
  const isChosen = (channel: Channel) => PERSONAL_NOTICES.some((what) => choices[what].includes(channel));
  // What was chosen before a channel failed can still be taken back.
  const shown = channels.filter((one) => faults[one] === null || isChosen(one));
  const inBrowser = PERSONAL_NOTICES.filter((what) => choices[what].includes('browser'));
  return (
    <form method="post" action={MY_NOTICES} class="card my-notices" data-tell={inBrowser.join(' ')}>
      <p class="pad">
        Choose what you want to be told in this tenant. It concerns what you reserve, book and wait for on these pages.
        Nothing is sent that you have not chosen.
      </p>
      <Scroll label="What you are told, and where">
        <table>
          <thead>
            <tr>
              <th scope="col">Tell me when</th>
              {shown.map((one) => (
                <th scope="col">{CHANNEL_WORDS[one]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {PERSONAL_NOTICES.map((what) => (
              <tr>
                <th scope="row">{NOTICE_WORDS[what]}</th>
                {shown.map((one) => (
                  <td>
                    <Box what={what} channel={one} isChosen={choices[what].includes(one)} fault={faults[one]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="pad">
        {channels.map((one) => faults[one] && <p class="hint">{`${CHANNEL_WORDS[one]}: ${faults[one]}`}</p>)}
        {faults.slack === null && (
          <p class="hint">
            Slack: your account is linked. <a href="/dashboard/slack">Look at it, or unlink it</a>
          </p>
        )}
        {faults.email === null && <p class="hint">E-mail goes to {email}. Each message has a link that ends it.</p>}
        <p class="hint">
          The browser tells you while one of these pages is open in it. For that, open this page once in each browser
          that you use, and let it show notifications.
        </p>
        <p class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          <button type="button" id="allow-notifications" hidden>
            Allow notifications in this browser
          </button>
        </p>
      </div>
    </form>
  );
};

interface BoxProps {
  readonly what: PersonalNotice;
  readonly channel: Channel;
  readonly isChosen: boolean;
  /** Why it cannot be chosen; null: it can */
  readonly fault: string | null;
}

const Box = ({ what, channel: value, isChosen, fault }: BoxProps) => (
  <label class="check">
    <input type="checkbox" name={what} value={value} checked={isChosen} disabled={fault !== null && !isChosen} />
    <span class="out-of-sight">
      {NOTICE_WORDS[what]}: {CHANNEL_WORDS[value]}
    </span>
  </label>
);
