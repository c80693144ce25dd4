import { expect, it } from 'vitest'
import { ORDER_POLICY } from '../../../../src/features/cert-orders/policy.ts'
import { WORKSPACE } from '../../../world.ts'
import { type MadeCsr, makeCsr } from '../csr/make-csr.ts'
import { answersFor, askFor, heard, inView, ORDERS, setPolicy, startOrders } from '../people.ts'

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
  const tried = await admin.submit({ 'Rules on content': RULES }, { until: inView('not in force yet') })
  expect(tried.text).toContain('Tried on 1 order of the last 90 days')
  expect(tried.text).toContain('Line 2, approvals 2 if names under example.com: 1 (order 1)')
  const rulesNow = async () => (await world.app.store.settings.get(WORKSPACE, ORDER_POLICY)).rules
  expect(await rulesNow()).toBeUndefined()
  await admin.click(tried.view, 'Activate rules')
  await expect.poll(rulesNow).toBe(RULES)
  await admin.close({ all: true })

  expect((await admin.command('/cert-order', 'show 1')).text).toContain(
    'approvals 2 if names under example.com (line 2)',
  )
  await member.command('/cert-order')
  const csr = await makeCsr({ names: [{ type: 'dns', value: '*.example.com' }] })
  const denied = await member.submit(answersFor(csr), { until: inView('deny this one') })
  expect(denied.text).toContain('“No wildcards here.” Nothing was ordered.')
  await heard(admin, 'Approve order 1?')
  const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 50 })
  expect(JSON.stringify(rows.find(({ verb }) => verb === '/cert-order hold')?.after)).toContain('ruleSet')
})

const RENEWING = 'deny "No products of one name." if product 101\ndeny "No wildcards here." if wildcard'

it('rules see the subject, and the product of what is renewed', async () => {
  await using world = await startOrders({ direct: true })
  const { member } = world.slack
  const certificate = { data: { id: 'C-900' } }
  const body = { data: { id: '1', relationships: { certificate } } }
  await world.service.faults({ method: 'POST', path: ORDERS, kind: 'body', times: 1, body })
  await askFor(member, undefined, 'is placed')
  await setPolicy(world, { direct: true, rules: RENEWING })
  const denied = async (typed: string, csr: MadeCsr, more: object, words: string): Promise<void> => {
    await member.command('/cert-order', typed)
    const csrOnly = { 'Certificate signing request (CSR)': csr.pem }
    const { text } = await member.submit({ ...csrOnly, ...more }, { until: inView('deny this one') })
    expect(text).toContain(words)
    await member.close({ all: true })
  }
  await denied('renew C-900', await makeCsr(), {}, '“No products of one name.” Nothing was ordered.')
  await denied('renew C-901', await makeCsr(), {}, 'is not known here, so it is denied')
  const wild = await makeCsr({ subject: 'CN=*.example.com', names: [] })
  await denied('', wild, { Product: '102', Duration: '1 year' }, '“No wildcards here.” Nothing was ordered.')
  expect(await world.service.orders()).toHaveLength(1)
})

it('an older window of the policy undoes nothing that another admin has saved since', async () => {
  await using world = await startOrders()
  const { admin } = world.slack
  const { settings } = world.app.store
  const now = () => settings.get(WORKSPACE, ORDER_POLICY)
  await setPolicy(world, { direct: true, approvals: 1 })
  await admin.command('/cert-order', 'policy')
  await setPolicy(world, { direct: false, approvals: 3 })
  const before = await now()
  const stale = await admin.submit({ 'Reminder after, in hours': '12' }, { until: inView('Now it says') })
  expect(stale.text).toContain('Approvals needed: 3.')
  expect(stale.text).toContain('Four eyes: nobody approves their own order.')
  expect(stale.text).not.toContain('Who may ask:')
  expect(stale.text.match(/Nothing was changed/g)).toHaveLength(1)
  expect(await now()).toEqual(before)
  const fresh = await admin.click(stale.view, 'Open it as it is now', { until: inView('Reminder after') })
  expect(JSON.stringify(fresh.view)).toContain('"initial_value":"3"')
  await admin.submit({ 'Reminder after, in hours': '12' }, { until: inView('is saved') })
  expect(await now()).toEqual({ ...before, reminderHours: 12 })
})

it('rules that were tried do not hold beside a policy that was saved since', async () => {
  await using world = await startOrders()
  const { admin } = world.slack
  const { settings } = world.app.store
  await admin.command('/cert-order', 'policy')
  const tried = await admin.submit({ 'Rules on content': RULES }, { until: inView('not in force yet') })
  await setPolicy(world, { direct: true })
  const late = await admin.click(tried.view, 'Activate rules', {
    until: inView('since these rules were tried'),
  })
  expect(late.text.match(/Nothing was changed/g)).toHaveLength(1)
  expect((await settings.get(WORKSPACE, ORDER_POLICY)).rules).toBeUndefined()
})
