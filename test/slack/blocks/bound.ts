import type { KnownBlock } from '@slack/types'
import { bindCommandButtons } from '../../../packages/slack/src/blocks/command-buttons.ts'

/** Blocks as they leave for Slack: each button with its line in an environment, or with the id of a line that is too long. */
export const bound = (blocks: readonly KnownBlock[]): KnownBlock[] =>
  bindCommandButtons(blocks, (line, most) => {
    const whole = `${line} --env production`
    return whole.length <= most ? whole : `read:${'x'.repeat(22)}`
  })
