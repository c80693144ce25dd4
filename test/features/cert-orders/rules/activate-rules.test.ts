import { expect, it } from 'vitest'
import { ORDER_POLICY } from '../../../../src/features/cert-orders/policy.ts'
import { WORKSPACE } from '../../../world.ts'
import { makeCsr } from '../csr/make-csr.ts'
import { answersFor, askFor, heard, inView, startOrders } from '../people.ts'

const RULES = 'deny "No wildcards here." if wildcard\napprovals 2 if names under example.com'

it('rules are tried before they hold, then deny and ask for more, and the card says which did', async () => {
  await using world = await startOrders()
  const { admin, member } = world.slack
  await askFor(member)
  const { text } = await admin.command('/cert-order', 'hold abc')
  expect(text).toContain('not the rules that were tried last')
  expect(text.match(/Nothing was changed/g)).toHaveLength(1)
  await admin.command('/cert-order', 'policy')
  const wrong = await admin.submit({ 'Rules on content': 'deny if wildcard' }, { until: inView('Line 1') })
  expect(wrong.text).toContain('Line 1: it begins with')
  const tried = await admin.submit({ 'Rules on content': RULES }, { until: inView('do not hold yet') })
  expect(tried.text).toContain('Tried on the 1 orders of the last 90 days')
  expect(tried.text).toContain('Line 2, approvals 2 if names under example.com: 1 (order 1)')
  const rulesNow = async () => (await world.app.store.settings.get(WORKSPACE, ORDER_POLICY)).rules
  expect(await rulesNow()).toBeUndefined()
  await admin.click(tried.view, 'Let them hold')
  await expect.poll(rulesNow).toBe(RULES)
  await admin.close({ all: true })

  expect((await admin.command('/cert-order', 'show 1')).text).toContain(
    'approvals 2 if names under example.com (line 2)',
  )
  await member.command('/cert-order')
  const csr = await makeCsr({ names: [{ type: 'dns', value: '*.example.com' }] })
  const denied = await member.submit(answersFor(csr), { until: inView('deny this one') })
  expect(denied.text).toContain('“No wildcards here.” Nothing was ordered.')
  await heard(admin, '🟡 Awaiting approval')
  const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 50 })
  expect(JSON.stringify(rows.find(({ verb }) => verb === '/cert-order hold')?.after)).toContain('ruleSet')
})
