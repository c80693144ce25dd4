import { isOpened } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { OrderRepository } from '../order.ts'
import { decidingRule, type OrderRule, ruledOf } from './rules.ts'

export const TRIED_DAYS = 90
const MOST_TRIED = 5000
const PAGE = 200
const NAMED = 10

export type Trial = Awaited<ReturnType<typeof tryRules>>

/**
 * Tries rules on the orders of the last 90 days, newest first: how many each rule would have decided, and the first of them; how
 * many no rule is about; how many do not open; and whether there were more than are looked at.
 */
export async function tryRules(
  orders: Pick<OrderRepository, 'listing' | 'time'>,
  workspaceId: string,
  rules: readonly OrderRule[],
  /** How many approvals the policy wants. */
  otherwise: number,
) {
  const since = new Date((await orders.time()).getTime() - TRIED_DAYS * DAY_MS)
  const found = new Map<OrderRule, number[]>()
  let total = 0
  let rest = 0
  let unopened = 0
  let isCut = false
  for (let below: number | undefined; !isCut; ) {
    const page = await orders.listing({
      workspaceId,
      since,
      limit: PAGE,
      ...(below !== undefined && { below }),
    })
    const opened = page.filter(isOpened)
    for (const order of opened) {
      const rule = decidingRule(rules, ruledOf(order), otherwise)?.rule
      if (rule) found.set(rule, [...(found.get(rule) ?? []), order.number])
      else rest += 1
    }
    total += opened.length
    unopened += page.length - opened.length
    below = page.at(-1)?.number
    if (page.length < PAGE) break
    isCut = total + unopened >= MOST_TRIED
  }
  const byRule = rules.flatMap((rule) => {
    const numbers = found.get(rule)
    return numbers ? [{ rule, count: numbers.length, numbers: numbers.slice(0, NAMED) }] : []
  })
  return { total, isCut, byRule, rest, unopened }
}
