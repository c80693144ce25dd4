import { createId } from '../protocol/ids.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { asString, isFields, objectsIn } from '../protocol/json.ts'
import type { Block } from '../protocol/protocol.ts'

function withActionId(element: Fields): Fields {
  if (element.action_id !== undefined) return element
  return { ...element, action_id: createId('').slice(0, 5) }
}

function withGeneratedIds(type: string, name: string, inner: Json): Json {
  if (name === 'accessory' || name === 'element') return isFields(inner) ? withActionId(inner) : inner
  return type === 'actions' && name === 'elements' ? objectsIn(inner).map(withActionId) : inner
}

/** Adds `emoji: true` to plain text objects without `emoji`, as Slack does. */
export function withEmoji(value: Json): Json {
  if (Array.isArray(value)) return value.map(withEmoji)
  if (!isFields(value)) return value
  if (value.type === 'plain_text' && typeof value.text === 'string')
    return { ...value, emoji: value.emoji ?? true }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withEmoji(inner)]))
}

/** Adds what Slack adds to blocks when it stores them: IDs for blocks and elements without one, and `emoji` in plain text. */
export const toStoredBlocks = (blocks: readonly Fields[]): Block[] =>
  withIds(objectsIn(blocks.map(withEmoji)))

/** Generates IDs for blocks and elements without one, as Slack does. */
function withIds(blocks: readonly Fields[]): Block[] {
  return blocks.map((block): Block => {
    const type = String(block.type)
    const entries = Object.entries(block).map(([name, inner]) => [name, withGeneratedIds(type, name, inner)])
    return {
      ...Object.fromEntries(entries),
      type,
      block_id: asString(block.block_id) ?? createId('').slice(0, 5),
    }
  })
}
