import { commandButton, type Message } from '@signalman/slack'
import { ownWords } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { CardWithOutages } from '../rules/card.ts'

/** What a card says if Slack refuses it: how many checks are down, in Signalman's own words. */
export function refusedCardView({ card, outages }: CardWithOutages, version: number): Message {
  const suffix = environmentSuffix(card.environment)
  if (card.kind === 'maintenance')
    return ownWords(
      `Maintenance of health checks${suffix}. Slack refused the message about it. To see it, use ${cmd('/hc maintenance')}.`,
    )
  if (card.kind === 'digest')
    return ownWords(
      `The daily summary of this channel${suffix} is ready, but Slack refused it. To see what happened, use ${cmd('/hc history')}.`,
    )
  const down = outages.filter(({ endedAt, listed }) => !endedAt && listed === 'here')
  const downText =
    down.length === 0
      ? 'No health check on this card is down anymore'
      : `${pluralize(down.length, 'health check')} ${down.length === 1 ? 'is' : 'are'} down`
  return ownWords(
    `${downText}${suffix}. Slack refused the card. To see them, use ${cmd('/hc')}.`,
    ...(down.some(({ onIt }) => !onIt)
      ? [commandButton('I’m on it', `/hc watch-ack ${card.id} --seen ${version}`)]
      : []),
  )
}
