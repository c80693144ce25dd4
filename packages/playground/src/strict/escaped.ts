/** `<…>` as mrkdwn has it: a link, a person, a channel, a broadcast, a group, a date. */
const MARKUP =
  /<(?:[A-Za-z][A-Za-z0-9+.-]*:[^<>\s][^<>]*|[@#][A-Z0-9]+(?:\|[^<>]*)?|![a-z]+(?:\^[^<>]*)?(?:\|[^<>]*)?)>/g
const ENTITY = /&(?:amp|lt|gt);/g
/** `>` at the start of a line is a quotation. */
const QUOTE = /^\s*(?:>|&gt;)+/gm

/**
 * Whether every `&`, `<` and `>` of a mrkdwn text is either markup or escaped, as Slack asks for
 * (https://docs.slack.dev/messaging/formatting-message-text, November 2026). It takes others and guesses what they mean;
 * a text that was not escaped is a text that can be made to say anything.
 */
export function isEscaped(text: string): boolean {
  return !/[&<>]/.test(text.replace(MARKUP, '').replace(ENTITY, '').replace(QUOTE, ''))
}
