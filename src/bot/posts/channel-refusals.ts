import { UserError } from '@signalman/runtime'
import { classifyFailure, findMissingScopes, isDirect } from '@signalman/slack'
import { capitalize } from '../../domain/wording.ts'
import type { Obstacle } from '../routes/command-context.ts'

/** Why nothing may be posted in a channel, and what to do. */
const REFUSALS: Readonly<Record<Obstacle, (channel: string) => { problem: string; fix: string }>> = {
  archived: (channel) => ({
    problem: `${channel} is archived`,
    fix: 'Unarchive it, or use another channel.',
  }),
  'not-in-channel': (channel) => ({
    problem: `Signalman isn’t in ${channel}`,
    fix: 'Invite it with /invite.',
  }),
  refused: (channel) => ({
    problem: `Slack doesn’t allow Signalman to post in ${channel}`,
    fix: 'Check who may post there.',
  }),
  'readers-unknown': (channel) => ({
    problem: `Signalman can’t see who reads ${channel}`,
    fix: 'Install it again with the scopes channels:read and groups:read.',
  }),
  'shared-outside': (channel) => ({
    problem: `${channel} is shared with another organization`,
    fix: 'Use another channel.',
  }),
  guests: (channel) => ({ problem: `guests can read ${channel}`, fix: 'Use another channel.' }),
  'maybe-guests': (channel) => ({
    problem: `Signalman can’t tell whether guests can read ${channel}`,
    fix: 'Use another channel.',
  }),
}

/** Explains why nothing may be posted in a channel. `channel` is how the sentence names it. */
export const explainChannelRefusal = (reason: Obstacle, channel = 'this channel') => REFUSALS[reason](channel)

/** Slack returns the same error for a DM between two other people, but an app can't be invited there. */
const DM_BETWEEN_OTHERS =
  'Signalman isn’t part of this conversation and can’t be added to a DM between two people. Run the command in a channel.'

export function createChannelRefusal(channelId: string, reason: Obstacle, channel?: string): UserError {
  if (reason === 'not-in-channel' && isDirect(channelId)) return new UserError(DM_BETWEEN_OTHERS)
  const { problem, fix } = explainChannelRefusal(reason, channel)
  return new UserError(`${capitalize(problem)}. ${fix}`)
}

/** Throws the explanation if the error is Slack's refusal of the channel. Otherwise, the error. */
export function throwChannelRefusal(error: unknown, channelId: string, channel?: string): never {
  const failure = classifyFailure(error)
  // A missing scope is reported as such, because that explains more.
  const isRefusal = failure.kind === 'channel-unavailable' && !findMissingScopes(error)
  throw isRefusal ? createChannelRefusal(channelId, failure.reason, channel) : error
}
