import type { KnownBlock } from '@slack/types'
import { rewriteCommands } from './command-buttons.ts'
import type { Message } from './message.ts'

/**
 * Matches email addresses, including those with non-ASCII characters, but not `@name` or a domain without a dot. Matches only at
 * the start of a word, because trying every letter of a long word would take quadratic time.
 */
const ADDRESS =
  /(?<![^\s@<>()[\]{}"'`,;:|/\\])[^\s@<>()[\]{}"'`,;:|/\\]+@[^\s@<>()[\]{}"'`,;:|/\\]+\.[\p{L}\p{N}-]+/gu
/** Shorter than any address, so that replacing one never exceeds Slack's limits. */
const PLACEHOLDER = '•••'

const hasAddress = (text: string): boolean => text.search(ADDRESS) >= 0

/**
 * Removes email addresses from a message for a channel, because guests may be invited later and read it. Also removes buttons
 * with an address in their command line.
 */
export function redactEmailAddresses(message: Pick<Message, 'text' | 'blocks'>): {
  message: Pick<Message, 'text' | 'blocks'>
  wasRedacted: boolean
} {
  const { text, blocks } = message
  if (!hasAddress(text) && !blocks.some((block) => hasAddress(JSON.stringify(block))))
    return { message, wasRedacted: false }
  const remaining = rewriteCommands(blocks, (command) => (hasAddress(command.line) ? undefined : command))
  return {
    message: { text: text.replace(ADDRESS, PLACEHOLDER), blocks: redact(remaining) },
    wasRedacted: true,
  }
}

/** Replaces the addresses in every text of the blocks. */
const redact = (blocks: readonly KnownBlock[]): KnownBlock[] =>
  JSON.parse(JSON.stringify(blocks), (_, value) =>
    typeof value === 'string' ? value.replace(ADDRESS, PLACEHOLDER) : value,
  )
