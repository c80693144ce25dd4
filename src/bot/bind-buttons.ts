import { type Message, rewriteCommands } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../domain/environment.ts'
import { FLAG, splitWords } from '../domain/quoting.ts'

/**
 * Prepares blocks for sending: each button gets its command line as its value, with the environment of the message. Without an
 * environment, the channel's setting decides when the button is pressed. Leaves out the buttons that are hidden, or too long for
 * Slack.
 */
export const bindButtons = (
  blocks: readonly KnownBlock[],
  environment?: Environment,
  isHidden?: ((line: string) => boolean) | undefined,
): KnownBlock[] =>
  rewriteCommands(blocks, ({ label, line }) => {
    if (isHidden?.(line)) return undefined
    return { label, line: environment && !hasEnvironment(line) ? `${line} --env ${environment}` : line }
  })

function hasEnvironment(line: string): boolean {
  if (!line.includes('"')) return /\s--?env(?:[=\s]|$)/i.test(line)
  return splitWords(line).some(
    ({ text, isQuoted }) => !isQuoted && FLAG.exec(text)?.[1]?.toLowerCase() === 'env',
  )
}

/** Prepares a message that doesn't answer a request for sending. */
export const bindMessage = (message: Message, environment: Environment): Message => ({
  ...message,
  blocks: bindButtons(message.blocks, environment),
})
