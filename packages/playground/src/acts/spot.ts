import { findElement, messageBlocks } from '../elements.ts'
import type { Stored } from '../messages.ts'
import type { Block, Fields, Person, Place, View } from '../protocol.ts'
import { Refused, type Slack } from '../slack.ts'

/** Where a person acts: a message or a view that they can see. */
export type Spot =
  | { kind: 'message'; message: Stored; blocks: Block[] }
  | { kind: 'view'; view: View; blocks: Block[] }

export function spotOf(
  { messages, views, people }: Pick<Slack, 'messages' | 'views' | 'people'>,
  person: Person,
  place: Place,
): Spot {
  if (place.kind === 'view') {
    const found = views.find(place.viewId)
    if (found?.user !== person.id)
      throw new Refused('view_not_found', `${person.name} has no view ${place.viewId}.`)
    return { kind: 'view', view: found.view, blocks: found.view.blocks }
  }
  const message = messages.find(place.channel, place.ts)
  const member = people.channel(place.channel)?.members.includes(person.id)
  if (!message || !member || (message.readerId && message.readerId !== person.id))
    throw new Refused('message_not_found', `${person.name} sees no message ${place.ts} in ${place.channel}.`)
  return { kind: 'message', message, blocks: messageBlocks(message) }
}

export function elementOf(spot: Spot, blockId: string, actionId: string): Fields {
  const element = findElement(spot.blocks, blockId, actionId)
  if (!element) throw new Refused('element_not_found', `There is no element ${actionId} in block ${blockId}.`)
  return element
}
