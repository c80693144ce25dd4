import { expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { requested } from '../../../../src/features/cert-orders/new-order.ts'
import { orderRepository } from '../../../../src/features/cert-orders/order.ts'
import { DEFAULT_POLICY } from '../../../../src/features/cert-orders/policy.ts'
import { parseRules } from '../../../../src/features/cert-orders/rules/rules.ts'
import { tryRules } from '../../../../src/features/cert-orders/rules/try-rules.ts'
import { trialView } from '../../../../src/features/cert-orders/views/rules.ts'
import { wishOf } from '../order-process.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000

it('tries rules on the orders of the last ninety days, a thousand of them, and on none before', async () => {
  const clock = () => NOW
  await using store = await openStore({ url: 'sqlite::memory:', clock })
  const orders = orderRepository(store.orders)
  const where = { workspaceId: 'T1', enterpriseId: undefined, environment: 'production' as const }
  const wish = wishOf('PO 1')
  for (let number = 1; number <= 1010; number += 1) {
    const names = [number % 4 === 0 ? 'DNS *.bank.com' : `DNS h${number}.bank.com`]
    const now = new Date(NOW.getTime() - (number <= 10 ? 91 : 1) * DAY_MS)
    const asked = {
      where,
      by: 'U1',
      ...wish,
      csr: { ...wish.csr, subject: '', names, keyHash: String(number) },
      bodyHash: 'h',
      policy: DEFAULT_POLICY,
      now,
    }
    await orders.add(requested(asked), { kind: 'request', at: now })
  }
  const { rules } = parseRules(
    'deny "No wildcards." if wildcard\napprovals 2 if key RSA\napprove if names under bank.com',
  )
  const trial = await tryRules(orders, 'T1', rules, 1)
  expect(trial).toMatchObject({ total: 1000, isCut: false, rest: 0 })
  expect(trial.byRule.map(({ rule, count }) => [rule.line, count])).toEqual([
    [1, 250],
    [3, 750],
  ])
  expect(trial.byRule[0]?.numbers.slice(0, 3)).toEqual([1008, 1004, 1000])
  const { text } = trialView(trial, { ruleSet: 'r', version: 'v', lead: 'Saved.', rules, direct: false })
  for (const words of [
    'not in force yet',
    'Tried on 1,000 orders',
    '1 of the rules would have decided nothing',
    '(four eyes)',
  ])
    expect(text).toContain(words)
})
