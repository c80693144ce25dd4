import type { InputValue, InputValues, OpenView, View } from '../protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import type { Eyes } from './eyes.ts'
import { mergeValues, toValues } from './reading.ts'
import type { Wire } from './wire.ts'

/** Which window; the top one by default. Throws an Error for one that isn't on top, because nobody could reach it. */
export interface Windowed {
  window?: OpenView | View | undefined
}

/** How one person fills in modals, and submits or closes them; `typed` is what is filled in but not submitted yet, by view. */
export function createFilling(
  wire: Wire,
  id: string,
  { view: topView }: Eyes,
  typed: Map<string, InputValues>,
) {
  async function reached(given: Windowed): Promise<View> {
    const { view } = await topView()
    if (!('window' in given)) return view
    if (!given.window) throw new Error('There is no such window.')
    const wanted = 'view' in given.window ? given.window.view : given.window
    if (wanted.id === view.id) return view
    const [other, top] = [wanted, view].map(({ title }) => title?.text ?? 'of no name')
    throw new Error(`The window "${other}" is not on top: "${top}" is.`)
  }

  return {
    /** Fills in the top modal without submitting it, by label, action_id, or block_id. */
    async fill(answers: Record<string, InputValue>, where: Windowed = {}): Promise<void> {
      const view = await reached(where)
      typed.set(view.id, mergeValues(typed.get(view.id) ?? {}, toValues(view.blocks, answers)))
    },

    /** Fills in the top modal, submits it, and waits for the result. */
    async submit(
      answers: Record<string, InputValue> = {},
      waiting: Waiting & Windowed = {},
    ): Promise<Answer> {
      const view = await reached(waiting)
      const values = mergeValues(typed.get(view.id) ?? {}, toValues(view.blocks, answers))
      typed.set(view.id, values)
      return awaitAnswer(wire, id, await wire.act('submit', { user: id, viewId: view.id, values }), waiting)
    },

    /** Closes the top modal, or all of them. */
    async close({ all = false, ...where }: { all?: boolean } & Windowed = {}): Promise<Answer> {
      const view = await reached(where)
      return awaitAnswer(wire, id, await wire.act('close', { user: id, viewId: view.id, all }), {})
    },
  }
}
