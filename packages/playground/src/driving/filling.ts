import type { InputValue, InputValues } from '../protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import type { Eyes } from './eyes.ts'
import { mergeValues, toValues } from './reading.ts'
import type { Wire } from './wire.ts'

/** How one person fills in modals, sends and closes them; `typed` has what is filled in and not yet sent, by view. */
export function createFilling(
  wire: Wire,
  id: string,
  { view: topView }: Eyes,
  typed: Map<string, InputValues>,
) {
  return {
    /** Fills in the top modal without sending it, by label, action_id or block_id. */
    async fill(answers: Record<string, InputValue>): Promise<void> {
      const { view } = await topView()
      typed.set(view.id, mergeValues(typed.get(view.id) ?? {}, toValues(view.blocks, answers)))
    },

    /** Fills in the top modal, presses its submit button, and waits for what happens to it. */
    async submit(answers: Record<string, InputValue> = {}, waiting: Waiting = {}): Promise<Answer> {
      const { view } = await topView()
      const values = mergeValues(typed.get(view.id) ?? {}, toValues(view.blocks, answers))
      typed.set(view.id, values)
      return awaitAnswer(wire, id, await wire.act('submit', { user: id, viewId: view.id, values }), waiting)
    },

    /** Closes the top modal, or all of them. */
    async close({ all = false }: { all?: boolean } = {}): Promise<Answer> {
      const { view } = await topView()
      return awaitAnswer(wire, id, await wire.act('close', { user: id, viewId: view.id, all }), {})
    },
  }
}
