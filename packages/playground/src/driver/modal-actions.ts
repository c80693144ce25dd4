import type { InputValue, InputValues } from '../protocol/answers.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import { mergeValues, toValues } from './find-element.ts'
import type { HttpClient } from './http-client.ts'
import type { Observer } from './observer.ts'

/**
 * Fills in, submits, and closes one person's modals. `unsubmitted` contains values that are entered but not submitted yet, by
 * view ID.
 */
export function createModalActions(
  client: HttpClient,
  userId: string,
  { view: topView }: Observer,
  unsubmitted: Map<string, InputValues>,
) {
  return {
    /** Fills in the top modal without submitting it, by label or action_id. */
    async fill(answers: Record<string, InputValue>): Promise<void> {
      const { view } = await topView()
      unsubmitted.set(view.id, mergeValues(unsubmitted.get(view.id) ?? {}, toValues(view.blocks, answers)))
    },

    /** Fills in the top modal, submits it, and waits for the app's answer. */
    async submit(answers: Record<string, InputValue> = {}, waiting: Waiting = {}): Promise<Answer> {
      const { view } = await topView()
      const values = mergeValues(unsubmitted.get(view.id) ?? {}, toValues(view.blocks, answers))
      unsubmitted.set(view.id, values)
      return awaitAnswer(
        client,
        userId,
        await client.act('submit', { user: userId, viewId: view.id, values }),
        waiting,
      )
    },

    /** Closes the top modal, or all of them. */
    async close({ all = false }: { all?: boolean } = {}): Promise<Answer> {
      const { view } = await topView()
      return awaitAnswer(
        client,
        userId,
        await client.act('close', { user: userId, viewId: view.id, all }),
        {},
      )
    },
  }
}
