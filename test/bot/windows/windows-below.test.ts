import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { requestOrder, startOrders } from '../../features/cert-orders/order-helpers.ts'
import { startWorld } from '../../world.ts'

type Person = Awaited<ReturnType<typeof startWorld>>['slack']['admin']

const readWindows = async (person: Person): Promise<string[]> =>
  (await person.views()).map(({ view }) => readText(view))

/** Opens a window from Home, and further ones on top of it, by the names of buttons, or of a menu and an option. */
async function openStack(person: Person, ...path: readonly (string | readonly [string, string])[]) {
  await person.openHome()
  for (const [depth, step] of path.entries()) {
    const surface = depth === 0 ? ((await person.home()) ?? undefined) : (await person.view()).view
    await (typeof step === 'string' ? person.click(surface, step) : person.choose(surface, ...step))
    await person.until('another window', ({ views }) => views.length === depth + 1)
  }
}

it('shows every window under an act as it is after it', async () => {
  await using world = await startOrders()
  const { admin, member } = world.slack
  await requestOrder(member)
  await requestOrder(member)
  await openStack(admin, 'All waiting orders', ['Open an order…', 'Order 1: shop.example.com'], 'Reject')
  expect(await readWindows(admin)).toEqual([
    expect.stringContaining('Order 1'),
    expect.stringContaining('waiting for approval'),
    expect.anything(),
  ])
  await admin.submit({ Reason: 'The name is wrong' }, { until: ({ text }) => text.includes('rejected') })
  await admin.until('both windows to follow', ({ views: [list, order] }) => {
    const [listed, shown] = [readText(list), readText(order)]
    return !listed.includes('Order 1') && listed.includes('Order 2') && shown.includes('The name is wrong')
  })
  expect(await readWindows(admin)).toHaveLength(3)
})

it('shows the new name of an edited health check in the windows under it', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }, { name: 'web-2' }] })
  const { admin } = world.slack
  await openStack(admin, 'List', ['Open a check…', 'web'], 'Edit')
  await admin.submit({ Name: 'shop' }, { until: ({ text }) => text.includes('Changed 1') })
  await admin.until(
    'the new name',
    ({ views: [list, check] }) => readText(list).includes('shop') && readText(check).includes('shop'),
  )
})
