import type { Block } from '../protocol/protocol.ts'
import { typedToRichText } from '../rules/values/typed-rich-text.ts'
import type { StoredMessage } from './stored.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Converts a message's stored text back to what its author typed: unescaped, with links as plain URLs or `[label](url)`. */
function toTypedText(text: string): string {
  return text
    .replace(/<((?:https?|mailto):[^|>]+)\|([^>]+)>/g, '[$2]($1)')
    .replace(/<(https?:[^|>]+)>/g, '$1')
    .replace(/<([@#])([A-Z0-9]+)\|[^>]*>/g, '<$1$2>')
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}

/** Builds the `rich_text` block that Slack adds to a person's message. */
export function messageRichText({
  text,
  ts,
  mrkdwn,
}: Pick<StoredMessage, 'text' | 'ts' | 'mrkdwn'>): Block[] {
  if (text === '' || !mrkdwn) return []
  const block_id = Number(ts.replace('.', '')).toString(36).slice(-5)
  return [{ ...typedToRichText(toTypedText(text)), type: 'rich_text', block_id }]
}
