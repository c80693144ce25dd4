import { actions, commandButton, type Message, message, mrkdwnSection } from '@signalman/slack'
import { ownWords } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { CardWithIncidents } from '../rules/card.ts'
import { describeWait, formatMention } from './cards.ts'

/**
 * What a message says if Slack refuses it: how many checks are down, in Signalman's own words. A page still mentions people. Its
 * button, and that of a card, applies to the same incidents as on the real message.
 */
export function refusedCardView(contents: CardWithIncidents, version: number): Message {
  const { card, incidents } = contents
  const suffix = environmentSuffix(card.environment)
  if (card.kind === 'maintenance')
    return ownWords(
      `Maintenance of health checks${suffix}. Slack refused the message about it. To see it, use ${cmd('/hc maintenance')}.`,
    )
  const buttons = incidents.some(({ closed, onIt }) => !closed && !onIt)
    ? [commandButton('I’m on it', `/hc watch-ack ${card.id} --seen ${version}`)]
    : []
  if (!card.page)
    return ownWords(
      `${describeDown(contents, suffix)} Slack refused the card. To see what is down, use ${cmd('/hc')}.`,
      ...buttons,
    )
  const mentions = card.page.mentions.map(formatMention).join(' ')
  const waited = buttons.length > 0 ? ` ${describeWait(new Date(card.page.since), incidents.length)}` : ''
  const text = `${mentions} ${describeDown(contents, suffix)}${waited} Slack refused the rest of this page. To see what is down, use ${cmd('/hc')}.`
  return message(text, mrkdwnSection(text), actions(...buttons))
}

/** `2 health checks are down.` */
function describeDown({ incidents, unseen }: CardWithIncidents, suffix: string): string {
  const down = incidents.filter(({ isDown }) => isDown)
  if (unseen && incidents.some(({ closed }) => !closed)) return `I can’t see the health checks${suffix}.`
  if (down.length > 0)
    return `${pluralize(down.length, 'health check')}${suffix} ${down.length === 1 ? 'is' : 'are'} down.`
  return incidents.some(({ closed }) => closed?.ending === 'unseen')
    ? `What is listed here${suffix} isn’t down or isn’t watched anymore.`
    : `Nothing listed here${suffix} is down anymore.`
}
