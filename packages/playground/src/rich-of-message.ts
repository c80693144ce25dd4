import type { Stored } from './messages.ts'
import type { Block } from './protocol.ts'
import { richOf } from './rich-typed.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** A message's text as its author typed it: plain addresses or `[words](address)`, and characters unescaped. */
function typedFrom(text: string): string {
  return text
    .replace(/<(https?:[^|>]+)\|([^>]+)>/g, '[$2]($1)')
    .replace(/<(https?:[^|>]+)>/g, '$1')
    .replace(/<([@#])([A-Z0-9]+)\|[^>]*>/g, '<$1$2>')
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}

/** What Slack's client sends in addition to the text of a person's message: the same as one rich_text block. */
export function richBlocks({ text, ts, mrkdwn }: Pick<Stored, 'text' | 'ts' | 'mrkdwn'>): Block[] {
  if (text === '' || !mrkdwn) return []
  const block_id = Number(ts.replace('.', '')).toString(36).slice(-5)
  return [{ ...richOf(typedFrom(text)), type: 'rich_text', block_id }]
}
