import { readText } from '@signalman/playground/driver'
import { afterAll, describe, expect, it } from 'vitest'
import { UNTIL_FORM } from '../../../acts/act-kind.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import {
  APPROVALS_CHANNEL,
  findOrderState,
  listDirectMessages,
  modalShows,
  ORDERS_PATH,
  setPolicy,
  startOrders,
} from '../order-helpers.ts'
import { createAuthority } from './make-certificate.ts'
import { order, readFingerprint, record } from './order-and-record.ts'

const authority = createAuthority()
afterAll(() => authority[Symbol.dispose]())

const PEM = (): string => authority.text('shop.pem')

/** An order whose answer was lost, and a certificate for it that the member recorded. */
async function startUnknown(): Promise<World> {
  const world = await startOrders()
  authority.issue('shop', 'DNS:shop.example.com')
  await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
  await order(world, authority.text('shop.csr'))
  await record(world.slack.member, PEM(), '🟢 Recorded')
  return world
}

async function startReceived(): Promise<World> {
  const world = await startOrders()
  authority.issue('shop', 'DNS:shop.example.com')
  await order(world, authority.text('shop.csr'))
  return world
}

/** An approver presses "The service has it". */
async function resolveAsReceived({ slack: { admin } }: World): Promise<void> {
  await admin.command('/cert-order', 'resolve 1 received', UNTIL_FORM)
  await admin.submit({}, { until: modalShows('was received') })
  await admin.close({ all: true })
}

const readStored = async ({ app }: World) =>
  app.store.certificates.listByEnd({
    ...{ workspaceId: WORKSPACE, environment: 'production' as const, from: new Date(0), limit: 10 },
  })

const readAudit = async ({ app }: World, verb: string) =>
  app.store.audit.search({ workspaceId: WORKSPACE, verb, limit: 10 })

describe('a certificate of an order that was settled without it', () => {
  it('offers the order in its details, and is attached by that button', async () => {
    await using world = await startUnknown()
    const { member } = world.slack
    await resolveAsReceived(world)
    const shown = await member.command('/cert-order', `certificate ${await readFingerprint(world)}`, {
      until: 'Certificate for shop.example.com',
    })
    expect(shown.text).toContain('It isn’t attached to that order yet.')
    await member.click(shown.message, 'It’s for order 1', { until: 'Show order 1' })
    const [attached] = await readAudit(world, '/cert-order attach')
    expect(attached).toMatchObject({ outcome: 'done', after: { order: 1 } })
    expect(attached?.before).not.toHaveProperty('order')
  })

  it('is attached when it’s recorded again', async () => {
    await using world = await startUnknown()
    const { member } = world.slack
    await resolveAsReceived(world)
    expect(await record(member, PEM(), 'Already recorded')).toContain('It was issued for order 1')
    const list = await member.command('/cert-order', 'list --expiring', { until: '1 certificate by expiry' })
    expect(list.text).not.toContain('no recorded certificate')
    expect((await readStored(world))[0]?.orderId).toBeDefined()
  })
})

it('an ID that is entered on a second recording is stored if there is none, and never replaces one', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  authority.issue('shop', 'DNS:shop.example.com')
  await record(member, PEM(), '🟢 Recorded')
  expect(await record(member, PEM(), 'Already recorded', 'C-77')).toContain('Its ID at the service is C-77.')
  const kept = await record(admin, PEM(), 'Already recorded', 'C-78')
  expect(kept).toContain('It keeps the ID C-77 that was entered before. C-78 wasn’t stored.')
  expect(await readStored(world)).toMatchObject([{ serviceId: 'C-77', ownerId: member.id }])
  const done = (await readAudit(world, '/cert-order certificate')).filter(({ outcome }) => outcome === 'done')
  expect(done.map(({ after }) => after)).toMatchObject([
    { serviceId: 'C-77', ownerId: member.id },
    { serviceId: 'C-77', ownerId: member.id },
    { ownerId: member.id },
  ])
})

describe('“It failed”, although a certificate was recorded', () => {
  const HOW = 'How do you know that it failed anyway?'
  const PROOF = 'A certificate with its key was recorded: shop.example.com'

  it.each([
    { what: 'for an order of unknown outcome', start: startUnknown },
    {
      what: 'for a received order',
      start: async () => {
        const world = await startReceived()
        await record(world.slack.member, PEM(), '🟢 Recorded')
        return world
      },
    },
  ])('names the certificate and requires a reason, $what', async ({ start }) => {
    await using world = await start()
    const { member, admin } = world.slack
    await admin.command('/cert-order', 'resolve 1 failed', UNTIL_FORM)
    const view = await admin.view()
    expect(readText(view)).toContain(PROOF)
    const refused = await admin.submit({})
    expect(refused.view?.errors).toHaveProperty('how')
    await admin.submit({ [HOW]: 'Support says so.' }, { until: modalShows('failed') })
    await admin.close({ all: true })
    expect(await findOrderState(world)).toBe('failed')
    const shown = await member.command('/cert-order', 'show 1', { until: 'Refresh' })
    expect(shown.text).toContain('although a certificate with its key was recorded')
    expect(shown.text).toContain('Look at the service before anyone requests it again')
    expect(shown.text).not.toContain('has ended without a certificate')
    await expect
      .poll(async () => (await listDirectMessages(member)).join())
      .toContain('Look at the service before anyone requests it again')
  })

  it('isn’t saved if the certificate was recorded while the window was open', async () => {
    await using world = await startReceived()
    const { member, admin } = world.slack
    await admin.command('/cert-order', 'resolve 1 failed', UNTIL_FORM)
    await record(member, PEM(), '🟢 Recorded')
    const { text } = await admin.submit({}, { until: 'since this window was opened' })
    expect(text).toContain('A certificate with its key was recorded since this window was opened.')
    expect(await findOrderState(world)).toBe('received')
  })
})

it('a reissued certificate replaces the one that its order names, even if both end at the same time', async () => {
  await using world = await startReceived()
  const { member, admin } = world.slack
  const start = Date.now()
  const end = new Date(start + 9 * 86_400_000)
  authority.signBetween('shop', new Date(start - 21 * 86_400_000), end)
  await record(member, PEM(), '🟢 Recorded', 'C-9')
  authority.issue('again', 'DNS:shop.example.com')
  await member.command('/cert-order', 'reissue C-9', UNTIL_FORM)
  await member.submit(
    { 'Certificate signing request (CSR)': authority.text('again.csr'), Duration: '90 days' },
    { until: modalShows('is waiting for approval') },
  )
  await member.close({ all: true })
  await admin.command('/cert-order', 'approve 2', UNTIL_FORM)
  await admin.submit({}, { until: /was received/ })
  authority.signBetween('again', new Date(start - 3_600_000), end)
  await record(member, authority.text('again.pem'), '🟢 Recorded')
  const stored = await readStored(world)
  const ends = stored.map(({ serviceId = 'new', ended = 'current' }) => `${serviceId} ${ended}`)
  expect(ends.toSorted()).toEqual(['C-9 replaced', 'new current'])
})

it('approvers get the first reminder if Slack refuses the owner’s', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await setPolicy(world, { channelId: APPROVALS_CHANNEL })
  authority.issue('soon', 'DNS:soon.example.com')
  const start = Date.now()
  // A third of 30 days is 10, so the first reminder is due.
  const [from, to] = [-21, 9].map((days) => new Date(start + days * 86_400_000))
  authority.signBetween('soon', from ?? new Date(), to ?? new Date())
  await world.slack.faults({
    method: 'chat.postMessage',
    kind: 'error',
    error: 'restricted_action',
    times: 1,
  })
  await record(member, authority.text('soon.pem'), '🟢 Recorded')
  const countReminders = async () =>
    (await admin.messages()).filter((message) => readText(message).includes('⏰ The certificate for soon'))
      .length
  await expect.poll(countReminders, { timeout: 10_000 }).toBe(1)
  expect((await listDirectMessages(member)).join()).not.toContain('⏰')
})
