import { actions, commandButton, type Message, message, mrkdwnSection } from '@signalman/slack'
import { ownWords } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { CardWithIncidents } from '../rules/card.ts'
import { formatMention } from './cards.ts'

/** What a card says if Slack refuses it: how many checks are down, in Signalman's own words. */
export function refusedCardView({ card, incidents }: CardWithIncidents, version: number): Message {
  const suffix = environmentSuffix(card.environment)
  if (card.kind === 'maintenance')
    return ownWords(
      `Maintenance of health checks${suffix}. Slack refused the message about it. To see it, use ${cmd('/hc maintenance')}.`,
    )
  if (card.kind === 'digest')
    return ownWords(
      `The daily summary of this channel${suffix} is ready, but Slack refused it. To see what happened, use ${cmd('/hc history')}.`,
    )
  const down = incidents.filter(({ isDown }) => isDown)
  const mentions = card.page?.mentions.map(formatMention) ?? []
  const downText =
    down.length === 0
      ? 'No health check on this card is down anymore'
      : `${pluralize(down.length, 'health check')} ${down.length === 1 ? 'is' : 'are'} down`
  const text = `${[...mentions, downText].join(' ')}${suffix}. Slack refused the card. To see them, use ${cmd('/hc')}.`
  const buttons = down.some(({ onIt }) => !onIt)
    ? [commandButton('I’m on it', `/hc watch-ack ${card.id} --seen ${version}`)]
    : []
  return mentions.length > 0
    ? message(text, mrkdwnSection(text), actions(...buttons))
    : ownWords(text, ...buttons)
}
