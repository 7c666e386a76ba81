/**
 * A tenant with a Slack app, and members who give commands in Slack, on the instances of `useTwoInstances`.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Role } from '../../src/domain/rights.ts';
import type { Db } from '../../src/store/db.ts';
import { lock } from '../../src/store/members.ts';
import { linkSlackUser } from '../../src/store/slack.ts';
import {
  BOT_TOKEN,
  clickForm,
  FakeSlack,
  type Reaction,
  SIGNING_SECRET,
  type SlackPerson,
  sendAsSlack,
  slashForm,
  TEAM,
} from './fakeSlack.ts';
import { BY, member, type Person, team } from './tenancy.ts';
import { one, store, useTwoInstances } from './twoInstances.ts';

export const PUBLIC_URL = 'http://holdfast.example';
export const APP = '/api/v1/Tenant/slack';

export let slack: FakeSlack;

/** To be called at the top of a test file. */
export function useSlack(): void {
  beforeAll(async () => {
    slack = await new FakeSlack().start();
  });
  useTwoInstances(undefined, () => ({ env: { PUBLIC_URL, ADMINS: 'root@id.example' }, slack: slack.site }));
  afterAll(() => slack.stop());
}

export interface SlackTeam {
  readonly tenant: string;
  readonly key: string;
  readonly owner: Person;
  /** Where Slack sends requests. */
  readonly endpoint: string;
}

/** Makes a tenant with an owner and a Slack app. */
export async function slackTeam(): Promise<SlackTeam> {
  const made = await team();
  const { status } = await made.owner.request(one.url, 'PUT', APP, {
    botToken: BOT_TOKEN,
    signingSecret: SIGNING_SECRET,
  });
  if (status !== 200) throw new Error(`the app was not registered: ${status}`);
  return { ...made, endpoint: `${one.url}/integrations/slack/${made.tenant}` };
}

/** Somebody in Slack who gives commands. */
export interface Speaker extends SlackPerson {
  /** Types a command; returns the text of the answer. */
  say(text: string): Promise<string>;
  /** The same, with all of the answer. */
  ask(text: string): Promise<Reaction>;
  /** Clicks the button with a text of the last answer; returns the text of the answer that comes. */
  click(text: string): Promise<string>;
}

/** Somebody who has linked no account. */
export function speaker({ endpoint }: SlackTeam, id: string): Speaker {
  let last: Reaction | null = null;
  const ask = async (text: string) => {
    last = await sendAsSlack(endpoint, slashForm(text, { id }, slack.answerUrl()));
    return last;
  };
  return {
    id,
    ask,
    say: async (text) => (await ask(text)).message?.text ?? '',
    click: async (text) => {
      const buttons = (last?.message?.blocks ?? []).flatMap((block) =>
        block.type === 'actions' ? block.elements : [],
      );
      const value = buttons.find((button) => button.text.text === text)?.value ?? '';
      const seen = slack.posted.length;
      const done = await sendAsSlack(endpoint, clickForm(value, { id }, slack.answerUrl()));
      const message = (await slack.until(seen + 1))[seen]?.message ?? null;
      last = { ...done, message };
      return message?.text ?? '';
    },
  };
}

let count = 0;

/** Makes somebody a member who has linked an account. */
export async function linked(of: SlackTeam, role: Role): Promise<Speaker & { readonly person: Person }> {
  const id = `U00000000${count++}`;
  const person = await member(of.tenant, role);
  await linkSlackUser(store, of.tenant, { teamId: TEAM.id, userId: id }, person.id, BY);
  return { ...speaker(of, id), person };
}

/**
 * Holds the lock that changes of a tenant's members wait for, until `free` is called.
 * @param change made in the same transaction
 */
export async function lockTenant(tenant: string, change: (tx: Db) => Promise<unknown> = async () => {}) {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  let done: Promise<unknown> = Promise.resolve();
  const held = new Promise<void>((resolve) => {
    done = store.database.transaction(async (tx) => {
      await lock(tx, tenant);
      await change(tx);
      resolve();
      await until;
    });
  });
  await held;
  return {
    free: async () => {
      release();
      await done;
    },
  };
}
