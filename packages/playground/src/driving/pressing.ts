import { messageBlocks } from '../elements.ts'
import { isFields } from '../json.ts'
import type { InputValue, InputValues, OptionsAnswer, Outcome, Place, View } from '../protocol.ts'
import { awaitAnswer, type Waiting } from './answer.ts'
import type { Eyes } from './eyes.ts'
import { findSpot, mergeValues, optionNamed, toValue } from './reading.ts'
import type { MaybeSurface, Surface } from './user.ts'
import type { Wire } from './wire.ts'

function viewOf(surface: Surface): View | undefined {
  if ('view' in surface) return surface.view
  return 'ts' in surface ? undefined : surface
}

function placeOf(surface: Surface): Place {
  const view = viewOf(surface)
  if (view) return { kind: 'view', viewId: view.id }
  if ('ts' in surface) return { kind: 'message', channel: surface.channel, ts: surface.ts }
  throw new Error('That is neither a message nor a view.')
}

function blocksOf(surface: Surface) {
  if ('view' in surface) return surface.view.blocks
  return 'ts' in surface ? messageBlocks(surface) : surface.blocks
}

function present(surface: MaybeSurface): Surface {
  if (!surface) throw new Error('There is no message and no view to act on.')
  return surface
}

/**
 * What one person presses and chooses in messages, modals, and Home; `typed` is what is filled in but not submitted yet, by view.
 */
export function createPressing(wire: Wire, id: string, { state }: Eyes, typed: Map<string, InputValues>) {
  /** Uses the element with this label, action_id, or placeholder; `value` is what to choose. */
  async function press(given: MaybeSurface, name: string, value: InputValue | undefined): Promise<Outcome> {
    const surface = present(given)
    const spot = findSpot(blocksOf(surface), name)
    const actionId = String(spot.element.action_id)
    const chosen = value === undefined ? optionNamed(spot, name) : toValue(spot, value)
    const view = viewOf(surface)
    const before = view ? (typed.get(view.id) ?? {}) : {}
    const values =
      chosen === undefined ? before : mergeValues(before, { [spot.block.block_id]: { [actionId]: chosen } })
    if (view) typed.set(view.id, values)
    return wire.act('action', {
      user: id,
      place: placeOf(surface),
      blockId: spot.block.block_id,
      actionId,
      ...(chosen !== undefined && { value: chosen }),
      values,
    })
  }

  return {
    /**
     * Presses a button, or an option behind `···`, by its label. A confirmation dialog is confirmed unless `deny` is given; then
     * nothing is sent.
     */
    async click(
      surface: MaybeSurface,
      name: string,
      { deny = false, ...waiting }: Waiting & { deny?: boolean } = {},
    ) {
      const { element } = findSpot(blocksOf(present(surface)), name)
      if (deny) {
        if (!isFields(element.confirm)) throw new Error(`"${name}" asks for no confirmation.`)
        const { seq } = await state()
        const outcome: Outcome = { ok: true, deliveryId: null, seq }
        return awaitAnswer(wire, id, outcome, { until: () => true })
      }
      return awaitAnswer(wire, id, await press(surface, name, undefined), waiting)
    },

    /** Chooses in a menu, overflow menu, picker, radio buttons, or checkboxes, by label or value. */
    async choose(surface: MaybeSurface, name: string, choice: InputValue, waiting: Waiting = {}) {
      return awaitAnswer(wire, id, await press(surface, name, choice), waiting)
    },

    /** Types into an external select. Returns what the app offers. */
    async options(given: MaybeSurface, name: string, query: string): Promise<OptionsAnswer> {
      const surface = present(given)
      const { block, element } = findSpot(blocksOf(surface), name)
      const at = { blockId: block.block_id, actionId: String(element.action_id) }
      return wire.post<OptionsAnswer>('options', { user: id, place: placeOf(surface), ...at, query })
    },
  }
}
