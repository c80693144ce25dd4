import { BLOCK_LISTS, ELEMENT_LISTS } from '../elements.ts'
import { createId } from '../ids.ts'
import { fieldsOf, isFields, stringOf } from '../json.ts'
import type { Block, Fields, Json } from '../protocol.ts'

function named(element: Fields): Fields {
  if (element.type === 'image' || element.action_id !== undefined) return element
  return { ...element, action_id: createId('').slice(0, 5) }
}

function filled(type: string, name: string, inner: Json): Json {
  if (name === 'accessory' || name === 'element') return isFields(inner) ? named(inner) : inner
  if (ELEMENT_LISTS[type] === name) return fieldsOf(inner).map(named)
  return BLOCK_LISTS[type] === name ? withIds(fieldsOf(inner)) : inner
}

/** Slack stores every plain text with `emoji`, true unless the app says otherwise. */
export function withEmoji(value: Json): Json {
  if (Array.isArray(value)) return value.map(withEmoji)
  if (!isFields(value)) return value
  if (value.type === 'plain_text' && typeof value.text === 'string')
    return { ...value, emoji: value.emoji ?? true }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withEmoji(inner)]))
}

/** Blocks as Slack stores them: with the ids that it makes up for blocks and elements, and `emoji` in plain text. */
export const asStored = (given: readonly Fields[]): Block[] => withIds(fieldsOf(given.map(withEmoji)))

/** Gives IDs to blocks and elements that have none, as Slack does. */
function withIds(given: readonly Fields[]): Block[] {
  return given.map((block): Block => {
    const type = String(block.type)
    const entries = Object.entries(block).map(([name, inner]) => [name, filled(type, name, inner)])
    return {
      // Slack always returns the fallback of a layout.
      ...(type === 'layout' && { fallback: [] }),
      ...Object.fromEntries(entries),
      type,
      block_id: stringOf(block.block_id) ?? createId('').slice(0, 5),
    }
  })
}
