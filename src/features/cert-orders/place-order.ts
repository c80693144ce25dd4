import { ApiError } from '../../api/errors.ts'
import type { Message } from '../../blocks/message.ts'
import type { Ask } from '../../slack/ask.ts'
import type { FilledOrder } from './fields.ts'
import { placedView, unknownView } from './views.ts'

/**
 * Sends the order once. When nobody can tell whether it was placed, says so instead of bringing the form back: a form
 * with its button invites the repetition that would order twice. Any other failure throws, and the form returns as typed.
 */
export async function placeOrder(ask: Ask, filled: FilledOrder): Promise<Message> {
  const { orders } = await ask.api()
  try {
    return placedView(filled, await orders.create(filled.order), ask.environment)
  } catch (error) {
    if (error instanceof ApiError && error.mayHaveHappened) return unknownView(filled, error, ask)
    throw error
  }
}
