import type { KnownBlock } from '@slack/types'
import { bindCommandButtons } from '../../../packages/slack/src/blocks/command-buttons.ts'

/** Blocks as sent to Slack: each button with its line in an environment, or with the ID of a line that is too long. */
export function bound(blocks: readonly KnownBlock[]): KnownBlock[] {
  const long = new Map<string, string>()
  return bindCommandButtons(blocks, (line, most) => {
    const whole = `${line} --env production`
    if (whole.length <= most) return whole
    const id = long.get(whole) ?? `read:${String(long.size).padStart(22, 'x')}`
    long.set(whole, id)
    return id
  })
}
