import type { SurfaceRef } from '../protocol/answers.ts'
import { findElement } from '../protocol/elements.ts'
import type { Fields } from '../protocol/json.ts'
import type { Block, Person, View } from '../protocol/protocol.ts'
import { ActionError } from '../state/actors.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

/** The message or view that a person is using. */
export type UsedSurface =
  | { kind: 'message'; message: StoredMessage; blocks: Block[] }
  | { kind: 'view'; view: View; blocks: Block[] }

/** Finds the message or view that `ref` identifies. Throws ActionError if the person can't see it. */
export function findSurface(
  { messages, views, people }: Pick<World, 'messages' | 'views' | 'people'>,
  person: Person,
  ref: SurfaceRef,
): UsedSurface {
  if (ref.kind === 'view') {
    const openView = views.find(ref.viewId)
    if (openView?.user !== person.id)
      throw new ActionError('view_not_found', `${person.name} has no view ${ref.viewId}.`)
    return { kind: 'view', view: openView.view, blocks: openView.view.blocks }
  }
  const message = messages.find(ref.channel, ref.ts)
  const isMember = people.channel(ref.channel)?.members.includes(person.id)
  if (!message || !isMember || (message.readerId && message.readerId !== person.id))
    throw new ActionError(
      'message_not_found',
      `${person.name} can't see a message ${ref.ts} in ${ref.channel}.`,
    )
  return { kind: 'message', message, blocks: message.blocks }
}

export function findSurfaceElement(surface: UsedSurface, blockId: string, actionId: string): Fields {
  const element = findElement(surface.blocks, blockId, actionId)
  if (!element)
    throw new ActionError('element_not_found', `There is no element ${actionId} in block ${blockId}.`)
  return element
}
