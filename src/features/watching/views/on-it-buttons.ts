import { commandButton, type Line } from '@signalman/slack'
import type { Button } from '@slack/types'
import type { Incident } from '../../../domain/outages/incident.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount } from '../../../domain/wording.ts'

/** A card, what is down on it, and the address of its message. */
export interface OpenCard {
  readonly id: string
  readonly down: readonly Pick<Incident, 'onIt'>[]
  readonly url?: string | undefined
}

/** What a card offers: **I’m on it**, or **Take over** if somebody is on everything that is down. */
export function takeButtons({ id, down }: OpenCard, free = ''): Button[] {
  const line = `/hc watch-ack ${quoted(id)}`
  if (down.some(({ onIt }) => !onIt)) return [commandButton(`I’m on it${free}`, line, { style: 'primary' })]
  const by = down[0]?.onIt?.by
  return by === undefined ? [] : [commandButton('Take over', `${line} --over ${quoted(by)}`)]
}

/** The same for one person, who reads it somewhere else: also **Step down**, and no **Take over** from themselves. */
export function personButtons(card: OpenCard | undefined, userId: string): Button[] {
  if (!card) return []
  const own = card.down.filter(({ onIt }) => onIt?.by === userId)
  const free = card.down.filter(({ onIt }) => !onIt).length
  const others = card.down.filter(({ onIt }) => onIt?.by !== userId)
  const count = (many: number): string => (many > 1 ? ` (${formatCount(many)})` : '')
  return [
    ...takeButtons({ ...card, down: others }, count(free)),
    ...(own.length > 0 ? [commandButton(`Step down${count(own.length)}`, stepDownLine(card.id))] : []),
  ]
}

export const stepDownLine = (cardId: string): string => `/hc watch-step-down ${quoted(cardId)}`

export const messageLink = (card: OpenCard | undefined): Line =>
  card?.url === undefined ? '' : [' · ', { type: 'link', url: card.url, text: 'message' }]
