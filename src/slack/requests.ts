/**
 * The requests that Slack sends: commands and clicks on buttons, as forms.
 */
import { z } from 'zod';
import { type Command, commandOf, type Misunderstood, parseCommand } from './command.ts';

const id = z.string().min(1).max(64);
const name = z.string().max(200);

const SlashCommand = z.object({
  team_id: id,
  team_domain: name.default(''),
  user_id: id,
  user_name: name.default(''),
  text: z.string().default(''),
  response_url: z.string(),
});

const BlockActions = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id, team_id: id, username: name.default('') }),
  team: z.object({ id, domain: name.default('') }),
  container: z.object({ is_ephemeral: z.boolean().default(false) }).optional(),
  response_url: z.string(),
  actions: z.array(z.object({ value: z.string().optional() })).min(1),
});

/** What somebody asks for. */
export interface Asked {
  /** Whether they typed it, or pressed a button. Slack shows no response to a click. */
  readonly by: 'text' | 'button';
  /** null: a button that is none of ours */
  readonly command: Command | Misunderstood | null;
  /** The workspaces that the request names: the person's, and that of the message. */
  readonly teams: readonly string[];
  readonly userId: string;
  readonly userName: string;
  readonly teamName: string;
  readonly responseUrl: string;
  /** True if the button is in a message that only this person sees: the answer takes its place. */
  readonly isReplaced: boolean;
}

/** Reads the body of a signed request; null: it is neither a command nor a click */
export function askedIn(body: string): Asked | null {
  const form = Object.fromEntries(new URLSearchParams(body));
  return form.payload === undefined ? typedIn(form) : clickedIn(form.payload);
}

/** Returns true if Slack only checks that it reaches the service. */
export const isProbe = (body: string): boolean => new URLSearchParams(body).get('ssl_check') === '1';

function typedIn(form: Readonly<Record<string, string>>): Asked | null {
  const { data } = SlashCommand.safeParse(form);
  if (data === undefined) return null;
  return {
    by: 'text',
    command: parseCommand(data.text),
    teams: [data.team_id],
    userId: data.user_id,
    userName: data.user_name,
    teamName: data.team_domain,
    responseUrl: data.response_url,
    isReplaced: false,
  };
}

function clickedIn(payload: string): Asked | null {
  const { data } = BlockActions.safeParse(jsonOf(payload));
  if (data === undefined) return null;
  const { user, team, actions, container } = data;
  return {
    by: 'button',
    command: commandOf(actions[0]?.value ?? ''),
    teams: [user.team_id, team.id],
    userId: user.id,
    userName: user.username,
    teamName: team.domain,
    responseUrl: data.response_url,
    isReplaced: container?.is_ephemeral ?? false,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
