import { describe, expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { saveConnection, setEnvironment } from '../../write-store.ts'
import { makeCsr } from './csr/make-csr.ts'
import {
  addOrder,
  findOrderState,
  listPlacedOrders,
  modalShows,
  shareOrder,
  startOrders,
} from './order-helpers.ts'

const ELSEWHERE = 'Order 1 is in production, not in OTE.'

describe('an order of production, for somebody who works in OTE', () => {
  const share = shareOrder()

  it.each([
    ['approve 1', ELSEWHERE],
    ['again 1', ELSEWHERE],
    ['show 1', ELSEWHERE],
    ['approve', 'No order is waiting for your decision (OTE).'],
    ['withdraw', 'None of your orders is waiting for approval (OTE).'],
    ['show', 'None of your orders is open'],
    ['again', 'None of your orders has ended'],
    ['show shop.example.com', 'No order (OTE) has'],
    ['list', 'There are no certificate orders (OTE)'],
  ])('is found by no line: %s', async (typed, said) => {
    const world = await share()
    const { member, admin } = world.slack
    const person = /^(?:withdraw|show$|again)/.test(typed) ? member : admin
    // Before the reason, which runs to the end of the line.
    await person.command('/cert-order', typed.replace(/^\w+/, '$& --env ote'), { until: said })
    // The same in a channel that was switched.
    await setEnvironment(world.app.store, WORKSPACE, 'C0GENERAL1', 'ote')
    await person.command('/cert-order', typed, { until: said })
    await setEnvironment(world.app.store, WORKSPACE, 'C0GENERAL1', 'production')
    expect(await findOrderState(world)).toBe('awaiting')
  })

  it('is opened in its own environment by a button, and only windows of OTE name theirs', async () => {
    const world = await share()
    const { member, admin } = world.slack
    await addOrder(world, member, makeCsr(), 'ote')
    const refused = await admin.command('/cert-order', 'approve 1 --env ote', { until: ELSEWHERE })
    const shown = await admin.click(refused.message, 'Show order 1', { until: 'Refresh' })
    const ote = await admin.command('/cert-order', 'show 2 --env ote', { until: 'Refresh' })
    for (const [{ message }, number] of [
      [shown, 1],
      [ote, 2],
    ] as const)
      for (const [button, window] of [
        ['Review and approve', 'Approve order'],
        ['Reject', 'Reject order'],
      ] as const) {
        const { text } = await admin.click(message, button, { until: modalShows(`${window} ${number}`) })
        expect(text.includes('OTE test environment'), text).toBe(number === 2)
        // The other one has the same name, in another environment.
        expect(text).not.toContain('Same name')
        await admin.close({ all: true })
      }
    for (const typed of ['', '--env ote']) {
      const form = await admin.command('/cert-order', typed, UNTIL_FORM)
      expect(form.text.includes('OTE test environment')).toBe(typed !== '')
      await admin.close({ all: true })
    }
  })
})

describe('an order that was requested under another account', () => {
  const connect = async ({ app, sandbox }: World, account: string) =>
    saveConnection(app.store, {
      ...{ workspaceId: WORKSPACE, environment: 'production', token: sandbox.token, account },
      ...{ userId: 'U0ADMIN001', now: new Date() },
    })

  it('can’t be approved, whenever the token was replaced, and isn’t sent', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await connect(world, 'another-account')
    const refused = await admin.submit({}, { until: 'was requested under another account' })
    expect(refused.text).toContain('Nothing was changed')
    await admin.close({ all: true })
    await admin.command('/cert-order', 'approve 1', { until: 'was requested under another account' })
    expect(await findOrderState(world)).toBe('awaiting')
    expect(await listPlacedOrders(world)).toEqual([])
    await member.command('/cert-order', 'withdraw 1', { until: 'was withdrawn' })
    const again = await member.command('/cert-order', 'again 1', UNTIL_FORM)
    const filledIn = JSON.stringify(again.view)
    expect(filledIn).toContain('The earlier order was for another account')
    expect(filledIn).toContain('"initial_value":"1 year"')
    expect(filledIn).not.toContain('"initial_option":{"text":{"type":"plain_text","text":"SSL')
  })

  it('isn’t even requested from a window that shows the products of the account before', async () => {
    await using world = await startOrders()
    const { member } = world.slack
    const { pem } = makeCsr()
    await member.command('/cert-order', '', UNTIL_FORM)
    await connect(world, 'another-account')
    const answers = { 'Certificate signing request (CSR)': pem, Product: '101', Duration: '90 days' }
    const { text } = await member.submit(answers, { until: 'another account of the service by now' })
    expect(text).toContain('Nothing was changed')
    expect(await findOrderState(world)).toBeUndefined()
  })

  it('is sent if the token was replaced by one of the same account', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await connect(world, 'one-account')
    const { pem } = makeCsr()
    await member.command('/cert-order', '', UNTIL_FORM)
    const answers = { 'Certificate signing request (CSR)': pem, Product: '101', Duration: '1 year' }
    await member.submit(answers, { until: modalShows('is waiting for approval') })
    await connect(world, 'one-account')
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await admin.submit({}, { until: modalShows('was received') })
    expect(await listPlacedOrders(world)).toHaveLength(1)
  })
})
