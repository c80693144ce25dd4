import { type Message, rewriteCommands } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../domain/environment.ts'
import { findEnvironment } from './grammar/flags.ts'

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
    return { label, line: environment ? withEnvironment(line, environment) : line }
  })

/** The line with the environment that it's for, unless it names one. */
export const withEnvironment = (line: string, environment: Environment): string =>
  findEnvironment(line) ? line : `${line} --env ${environment}`

/** Prepares a message that doesn't answer a request for sending. */
export const bindMessage = (message: Message, environment: Environment): Message => ({
  ...message,
  blocks: bindButtons(message.blocks, environment),
})
