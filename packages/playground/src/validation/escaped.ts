/** Slack's `<…>` markup: links, people, channels, broadcasts, groups, and dates. */
const MARKUP =
  /<(?:[A-Za-z][A-Za-z0-9+.-]*:[^<>\s][^<>]*|[@#][A-Z0-9]+(?:\|[^<>]*)?|![a-z]+(?:\^[^<>]*)?(?:\|[^<>]*)?)>/g
const ENTITY = /&(?:amp|lt|gt);/g
/** `>` at the start of a line, which marks a quote. */
const QUOTE = /^\s*(?:>|&gt;)+/gm

/**
 * Whether every `&`, `<`, and `>` in a mrkdwn text is either markup or escaped, as Slack requires
 * (https://docs.slack.dev/messaging/formatting-message-text, November 2026). Slack also accepts unescaped characters and guesses what
 * they mean, so unescaped untrusted text can inject links and mentions.
 */
export function isEscaped(text: string): boolean {
  return !/[&<>]/.test(text.replace(MARKUP, '').replace(ENTITY, '').replace(QUOTE, ''))
}
