import { commandsIn, withoutCommands } from './command-buttons.ts'
import type { Message } from './message.ts'

/**
 * Also parts that aren't ASCII; not `@name`, nor anything without a dot after the @. Tried only where a word begins: trying
 * each letter of a long word would take quadratic time.
 */
const ADDRESS =
  /(?<![^\s@<>()[\]{}"'`,;:|/\\])[^\s@<>()[\]{}"'`,;:|/\\]+@[^\s@<>()[\]{}"'`,;:|/\\]+\.[\p{L}\p{N}-]+/gu
/** Shorter than any address, so that nothing exceeds Slack's limits. */
const HIDDEN = '•••'

const holdsAddress = (text: string): boolean => text.search(ADDRESS) >= 0

/**
 * The message without email addresses, for a channel: guests may be invited there and read it later. Buttons with an address
 * in their line are left out.
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
const hidden = <T>(value: T): T => hideAddressesIn(value) as T

function hideAddressesIn(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(ADDRESS, HIDDEN)
  if (Array.isArray(value)) return value.map(hideAddressesIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideAddressesIn(one)]))
}
