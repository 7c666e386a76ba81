/**
 * Texts in messages to Slack, in its mrkdwn. `&`, `<` and `>` begin mentions, links and times there, so all that
 * callers choose is escaped.
 */

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes a name or a note.
 * @param maxLength code points that are shown of it. Slack takes at most 3,000 characters in a block
 */
export function escapeSlack(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const points = text.length > maxLength ? [...text] : [];
  const shown = points.length > maxLength ? `${points.slice(0, maxLength - 1).join('')}…` : text;
  return shown.replace(/[&<>]/g, (character) => ESCAPED[character] ?? character);
}

/** Text that Slack sends: `<@U1|ann>`, `<#C1|general>`, `<https://x|label>`, and escaped characters. */
const LINK = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g;
const ESCAPES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Returns what somebody typed, from the text that Slack sends of it. */
export const unescapeSlack = (text: string): string =>
  text
    .replace(LINK, (_, kind: string, target: string, label: string | undefined) =>
      kind === '' ? target : `${kind === '!' ? '@' : kind}${label || target}`,
    )
    .replace(/&(?:amp|lt|gt);/g, (escaped) => ESCAPES[escaped] ?? escaped);

/**
 * A time, which Slack shows in the zone of the person who reads it, with its date if that is not today.
 * @param iso ISO 8601
 */
export function slackTime(iso: string): string {
  const text = `${iso.slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(Date.parse(iso) / 1000)}^{date_short_pretty} {time}|${text}>`;
}
