import { findElement, messageBlocks } from '../elements.ts'
import type { StoredMessage } from '../messages.ts'
import type { Block, Fields, Person, Place, View } from '../protocol.ts'
import { Refused, type Slack } from '../slack.ts'

/** The message or view that a person is using. */
export type UsedSurface =
  | { kind: 'message'; message: StoredMessage; blocks: Block[] }
  | { kind: 'view'; view: View; blocks: Block[] }

export function findSurface(
  { messages, views, people }: Pick<Slack, 'messages' | 'views' | 'people'>,
  person: Person,
  place: Place,
): UsedSurface {
  if (place.kind === 'view') {
    const found = views.find(place.viewId)
    if (found?.user !== person.id)
      throw new Refused('view_not_found', `${person.name} has no view ${place.viewId}.`)
    return { kind: 'view', view: found.view, blocks: found.view.blocks }
  }
  const message = messages.find(place.channel, place.ts)
  const member = people.channel(place.channel)?.members.includes(person.id)
  if (!message || !member || (message.readerId && message.readerId !== person.id))
    throw new Refused(
      'message_not_found',
      `${person.name} can't see a message ${place.ts} in ${place.channel}.`,
    )
  return { kind: 'message', message, blocks: messageBlocks(message) }
}

export function findSurfaceElement(spot: UsedSurface, blockId: string, actionId: string): Fields {
  const element = findElement(spot.blocks, blockId, actionId)
  if (!element) throw new Refused('element_not_found', `There is no element ${actionId} in block ${blockId}.`)
  return element
}
