import type { InputValue, InputValues, OptionsAnswer, SurfaceRef } from '../protocol/answers.ts'
import type { Outcome, View } from '../protocol/protocol.ts'
import { awaitAnswer, type Waiting } from './answer.ts'
import { findPartValue, findTarget, mergeValues, toValue } from './find-element.ts'
import type { HttpClient } from './http-client.ts'
import type { MaybeSurface, Surface } from './surface.ts'

function surfaceView(surface: Surface): View | undefined {
  if ('view' in surface) return surface.view
  return 'ts' in surface ? undefined : surface
}

function toSurfaceRef(surface: Surface): SurfaceRef {
  const view = surfaceView(surface)
  if (view) return { kind: 'view', viewId: view.id }
  if ('ts' in surface) return { kind: 'message', channel: surface.channel, ts: surface.ts }
  throw new Error("This isn't a message or a view.")
}

function surfaceBlocks(surface: Surface) {
  if ('view' in surface) return surface.view.blocks
  return 'ts' in surface ? surface.blocks : surface.blocks
}

const findChannel = (surface: MaybeSurface): string | undefined =>
  surface && 'ts' in surface ? surface.channel : undefined

function requireSurface(surface: MaybeSurface): Surface {
  if (!surface) throw new Error('There is no message or view to use.')
  return surface
}

/**
 * Clicks and chooses for one person in messages, modals, and Home. `unsubmitted` contains values that are entered but not
 * submitted yet, by view ID.
 */
export function createElementActions(
  client: HttpClient,
  userId: string,
  unsubmitted: Map<string, InputValues>,
) {
  /** Uses the element with this name (see `findTarget`). `value` is what the person chose or entered. */
  async function sendAction(
    maybeSurface: MaybeSurface,
    name: string,
    value: InputValue | undefined,
  ): Promise<Outcome> {
    const surface = requireSurface(maybeSurface)
    const target = findTarget(surfaceBlocks(surface), name)
    const actionId = String(target.element.action_id)
    const chosen = value === undefined ? findPartValue(target, name) : toValue(target, value)
    const view = surfaceView(surface)
    const earlierValues = view ? (unsubmitted.get(view.id) ?? {}) : {}
    const values =
      chosen === undefined
        ? earlierValues
        : mergeValues(earlierValues, { [target.block.block_id]: { [actionId]: chosen } })
    if (view) unsubmitted.set(view.id, values)
    return client.act('action', {
      user: userId,
      surface: toSurfaceRef(surface),
      blockId: target.block.block_id,
      actionId,
      ...(chosen !== undefined && { value: chosen }),
      values,
    })
  }

  return {
    /** Clicks a button or an option of an overflow menu by its label, and confirms its confirmation dialog if there is one. */
    async click(surface: MaybeSurface, name: string, waiting: Waiting = {}) {
      const outcome = await sendAction(surface, name, undefined)
      return awaitAnswer(client, userId, outcome, { ...waiting, channel: findChannel(surface) })
    },

    /** Chooses an option in a menu, picker, radio button group, or checkbox group, by the option's label or value. */
    async choose(surface: MaybeSurface, name: string, choice: InputValue, waiting: Waiting = {}) {
      const outcome = await sendAction(surface, name, choice)
      return awaitAnswer(client, userId, outcome, { ...waiting, channel: findChannel(surface) })
    },

    /** Types into an external select, and returns the options that the app suggests. */
    async options(surface: MaybeSurface, name: string, query: string): Promise<OptionsAnswer> {
      const usedSurface = requireSurface(surface)
      const { block, element } = findTarget(surfaceBlocks(usedSurface), name)
      return client.post<OptionsAnswer>('options', {
        user: userId,
        surface: toSurfaceRef(usedSurface),
        blockId: block.block_id,
        actionId: String(element.action_id),
        query,
      })
    },
  }
}
