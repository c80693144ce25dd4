import { fault, type Rule } from './rules.ts'

/** `<…>` as mrkdwn has it: a link, a person, a channel, a broadcast, a group, a date. */
const MARKUP =
  /<(?:[A-Za-z][A-Za-z0-9+.-]*:[^<>\s][^<>]*|[@#][A-Z0-9]+(?:\|[^<>]*)?|![a-z]+(?:\^[^<>]*)?(?:\|[^<>]*)?)>/g
const ENTITY = /&(?:amp|lt|gt);/g
/** `>` at the start of a line is a quotation. */
const QUOTE = /^\s*(?:>|&gt;)+/gm

/** Whether every `&`, `<` and `>` of a mrkdwn text is either markup or escaped. */
export function isEscaped(text: string): boolean {
  return !/[&<>]/.test(text.replace(MARKUP, '').replace(ENTITY, '').replace(QUOTE, ''))
}

/**
 * Slack's own control characters, `&`, `<` and `>`, stand for markup and are to be escaped where they do not
 * (https://docs.slack.dev/messaging/formatting-message-text, November 2026). Slack guesses what is meant by others; the
 * playground refuses them, because a text that was not escaped is a text that can be made to say anything.
 */
export const escaped: Rule = (value, at, check) => {
  if (typeof value === 'string' && !isEscaped(value))
    fault(check, at, 'must escape &, < and > as &amp;, &lt; and &gt; where they are not markup')
}
