import type { InputValue, InputValues } from '../protocol/answers.ts'
import type { OpenView, View } from '../protocol/protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import { mergeValues, toValues } from './find-element.ts'
import type { HttpClient } from './http-client.ts'
import type { Observer } from './observer.ts'

/** The modal that must be on top: otherwise, the method throws, because people can only use the top modal. By default, the top one. */
export interface ModalChoice {
  modal?: OpenView | View | undefined
}

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
  async function findTopModal(choice: ModalChoice): Promise<View> {
    const { view } = await topView()
    if (!('modal' in choice)) return view
    if (!choice.modal) throw new Error("This modal doesn't exist.")
    const requested = 'view' in choice.modal ? choice.modal.view : choice.modal
    if (requested.id === view.id) return view
    const [requestedTitle, topTitle] = [requested, view].map(({ title }) => title?.text ?? 'without a title')
    throw new Error(`The modal "${requestedTitle}" isn't on top of the stack: "${topTitle}" is.`)
  }

  return {
    /** Fills in the top modal without submitting it, by label or action_id. */
    async fill(answers: Record<string, InputValue>, choice: ModalChoice = {}): Promise<void> {
      const view = await findTopModal(choice)
      unsubmitted.set(view.id, mergeValues(unsubmitted.get(view.id) ?? {}, toValues(view.blocks, answers)))
    },

    /** Fills in the top modal, submits it, and waits for the app's answer. */
    async submit(
      answers: Record<string, InputValue> = {},
      waiting: Waiting & ModalChoice = {},
    ): Promise<Answer> {
      const view = await findTopModal(waiting)
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
    async close({ all = false, ...choice }: { all?: boolean } & ModalChoice = {}): Promise<Answer> {
      const view = await findTopModal(choice)
      return awaitAnswer(
        client,
        userId,
        await client.act('close', { user: userId, viewId: view.id, all }),
        {},
      )
    },
  }
}
