import type { Change } from '../../slack/ask.ts'
import { type Order, titleOf } from './order.ts'
import type { Who } from './order-book.ts'

/**
 * Does the work with its line in the audit log. What was done stands even where the log could not be written: whoever
 * read of a failure would do it a second time. Throws what the work throws.
 */
export async function recorded<T>(
  { who, report }: { who: Pick<Who, 'change'>; report: (error: unknown, words: string) => void },
  what: Change<T>,
  work: () => Promise<T>,
): Promise<T> {
  let done: { outcome: T } | undefined
  const noted = async (): Promise<T> => {
    const outcome = await work()
    done = { outcome }
    return outcome
  }
  try {
    return await who.change(what, noted)
  } catch (error) {
    if (!done) throw error
    report(error, NOT_RECORDED)
    return done.outcome
  }
}

export const NOT_RECORDED = 'A step of an order was taken, and may be missing in the audit log.'

export const objectOf = (order: Order): string => `order ${order.number}: ${titleOf(order)}`

/** An order as the audit log keeps it: all of it but the request itself, of which it has names and key. */
export function briefOf(order: Pick<Order, 'content' | 'bodyHash'> & Partial<Order>): object {
  const { content, bodyHash, number, state } = order
  const { csr: _, ...asked } = content.request
  const { outcome, ending, approvals, csr } = content
  const placed = outcome?.kind === 'placed' ? outcome.placed : undefined
  return {
    ...(number !== undefined && { number }),
    state,
    ...asked,
    subject: csr.subject,
    names: csr.names,
    key: csr.key,
    bodyHash,
    approvedBy: approvals.map(({ by }) => by),
    ...(ending?.reason && { reason: ending.reason }),
    ...(outcome && { outcome: outcome.kind }),
    // Without the service's answer as it came: that is outside text of any kind.
    ...(placed && {
      placed: { id: placed.id, status: placed.status, certificateId: placed.certificateId },
    }),
  }
}
