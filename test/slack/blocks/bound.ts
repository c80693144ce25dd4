import type { KnownBlock } from '@slack/types'
import { bindCommandButtons } from '../../../packages/slack/src/blocks/command-buttons.ts'

/** Binds command buttons like a post to Slack does: each gets its line with the environment, or an ID if that line is too long. */
export function bindButtons(blocks: readonly KnownBlock[]): KnownBlock[] {
  const longLines = new Map<string, string>()
  return bindCommandButtons(blocks, (line, max) => {
    const fullLine = `${line} --env production`
    if (fullLine.length <= max) return fullLine
    const id = longLines.get(fullLine) ?? `read:${String(longLines.size).padStart(22, 'x')}`
    longLines.set(fullLine, id)
    return id
  })
}
