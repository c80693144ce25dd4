import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, say } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import type { PausedModel } from '../../../domain/watching/card-model.ts'
import type { PauseReason } from '../../../domain/watching/watch.ts'
import { counted, grouped } from '../../../domain/wording.ts'

/** Why nothing can be told in a channel, and what mends it. */
export const PAUSE_WORDS: Readonly<Record<PauseReason, { why: string; mend: string }>> = {
  archived: {
    why: 'the channel is archived',
    mend: 'Bring the channel back, or watch in another one.',
  },
  'not-in-channel': {
    why: 'Signalman is not in the channel any more',
    mend: 'Invite it again with /invite, then press Resume.',
  },
  refused: {
    why: 'Slack refuses what Signalman writes there',
    mend: 'See who may post in the channel, then press Resume.',
  },
}

/** To the owner of watches that cannot tell any more. */
export function pausedView({ channelId, why, watches, untold }: PausedModel): Message {
  const { why: reason, mend } = PAUSE_WORDS[why]
  const count = watches === 1 ? 'Your watch' : `${grouped(watches)} watches of yours`
  const paused = `${count} in <#${channelId}> ${watches === 1 ? 'is' : 'are'} paused: ${reason}. Nothing is told there until it is mended.`
  const lost = untold > 0 ? ` The last word on ${counted(untold, 'card')} could not be written there.` : ''
  const text = `${paused}${lost} ${mend}`
  return message(
    text,
    say(text),
    actions(
      commandButton('Resume', `/hc watch-resume ${channelId}`),
      commandButton('Watches', '/hc watches --all'),
    ),
  )
}
