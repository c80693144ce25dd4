import { commandsIn, withoutCommands } from './command-buttons.ts'
import type { Message } from './message.ts'

/**
 * Parts that aren't ASCII too; not `@name`, nor anything without a dot behind the sign. It is tried only where a word begins: from each
 * letter of a long word, it would take the square of the length.
 */
const ADDRESS =
  /(?<![^\s@<>()[\]{}"'`,;:|/\\])[^\s@<>()[\]{}"'`,;:|/\\]+@[^\s@<>()[\]{}"'`,;:|/\\]+\.[\p{L}\p{N}-]+/gu
/** Shorter than any address, so that nothing outgrows Slack's limits. */
const HIDDEN = '•••'

const holdsAddress = (text: string): boolean => text.search(ADDRESS) >= 0

/**
 * The message without email addresses, for a channel: guests may be invited there and read it later. Buttons with an address in their
 * line are left out.
 */
export function withoutAddresses(message: Pick<Message, 'text' | 'blocks'>): {
  message: Pick<Message, 'text' | 'blocks'>
  hasHidden: boolean
} {
  const { text, blocks } = message
  if (!holdsAddress(text) && !blocks.some((block) => holdsAddress(JSON.stringify(block))))
    return { message, hasHidden: false }
  const isLed = commandsIn(blocks)
    .flat()
    .some(({ line }) => holdsAddress(line))
  const kept = isLed ? withoutCommands(blocks, holdsAddress) : blocks
  return { message: { text: hidden(text), blocks: kept.map(hidden) }, hasHidden: true }
}

/** With every text in it mended, however deep; its shape stays. */
const hidden = <T>(value: T): T => mended(value) as T

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(ADDRESS, HIDDEN)
  if (Array.isArray(value)) return value.map(mended)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mended(one)]))
}
