import { readText } from '@signalman/playground/driver'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { Environment } from '../../../../src/domain/environment.ts'
import { currentQuery, keyQuery } from '../../../../src/features/cert-orders/rows/certificates.ts'
import type { Certificate } from '../../../../src/features/cert-orders/rules/certificate/certificate.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { explainPlan } from '../../../databases/plans.ts'
import { eitherOf } from '../../../long.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  findOrderState,
  listDirectMessages,
  modalShows,
  ORDERS_PATH,
  startOrders,
} from '../order-helpers.ts'
import { createAuthority } from './make-certificate.ts'

const DAY_MS = 86_400_000
let serial = 0

/** Records a certificate as somebody else, who got it elsewhere. */
async function addCertificate(
  store: Store,
  keyHash: string,
  overrides: Partial<Certificate> & { host?: string } = {},
): Promise<Certificate> {
  serial += 1
  const { host = `elsewhere-${serial}.example.com`, ...others } = overrides
  const now = new Date(Date.now() + serial)
  const added = await store.certificates.add(
    {
      ...{ workspaceId: WORKSPACE, environment: 'production', ownerId: 'U0OTHER001', keyHash },
      sha256: `${serial}`.padStart(64, 'f'),
      notAfter: new Date(now.getTime() + 60 * DAY_MS),
      content: {
        ...{ names: [host], subject: '', issuer: 'CN=Other', serial: '1', pem: '', isChecked: false },
        notBefore: now.toISOString(),
      },
      ...others,
    },
    now,
  )
  return added.certificate
}

async function findOrder({ app }: World): Promise<Order> {
  const order = await app.store.orders.find(WORKSPACE, 1)
  if (!order) throw new Error('There is no order.')
  return order
}

/** What the approval window, the order, and the approvers’ card say about certificates with the key. */
async function readEverywhere(world: World): Promise<Record<'window' | 'order' | 'card', string[]>> {
  const { admin, member } = world.slack
  const find = (text: string): string[] =>
    [...text.matchAll(/A certificate with this key was recorded: ([^,]+),/g)].map(([, host = '']) => host)
  const window = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  await admin.close({ all: true })
  const order = await member.command('/cert-order', 'show 1', { until: 'Refresh' })
  const cards = (await admin.messages(APPROVALS_CHANNEL))
    .map(readText)
    .filter((text) => /order 1\b/i.test(text))
  return { window: find(window.text), order: find(order.text), card: cards.flatMap(find) }
}

const everywhere = (...hosts: string[]) => ({ window: hosts, order: hosts, card: hosts })

describe('a certificate with the key of an order that waits', () => {
  it('is shown in the approval window and on the card, however often one is recorded, and stops nothing', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { admin, member } = world.slack
    await addOrder(world, member)
    expect(await readEverywhere(world)).toEqual(everywhere())
    const keyHash = (await findOrder(world)).keyHash
    const first = await addCertificate(world.app.store, keyHash, { host: 'first.example.com' })
    const { window, order } = await readEverywhere(world)
    expect({ window, order }).toEqual({ window: ['first.example.com'], order: ['first.example.com'] })
    const answer = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(answer.text).toContain('It isn’t attached to an order, so somebody may have got it elsewhere.')
    expect(answer.text).not.toContain('Nothing unusual')
    await admin.click(answer.view, 'Show', { until: modalShows('Certificate for first.example.com') })
    await admin.close({ all: true })
    // Ending the reminders doesn't make it another certificate, and neither does one that replaces it.
    await world.app.store.certificates.update({ ...first, ended: 'not-needed' })
    expect((await readEverywhere(world)).window).toEqual(['first.example.com'])
    await addCertificate(world.app.store, keyHash, {
      host: 'first.example.com',
      notAfter: new Date(Date.now() + 300 * DAY_MS),
    })
    expect((await readEverywhere(world)).window).toEqual(['first.example.com', 'first.example.com'])
    for (let more = 0; more < 3; more += 1) await addCertificate(world.app.store, keyHash)
    const many = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(many.text).toContain('⚠️ And 2 more certificates with this key.')
    await admin.submit({}, { until: modalShows('was received') })
    expect(await findOrderState(world)).toBe('received')
    // What was sent has a comparison of its own.
    expect((await member.command('/cert-order', 'show 1', { until: 'Refresh' })).text).not.toContain(
      'this key',
    )
  })

  it('is shown for one that was recorded before the request', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { member } = world.slack
    await addOrder(world, member)
    const { csr } = (await findOrder(world)).content.request
    await addCertificate(world.app.store, (await findOrder(world)).keyHash, { host: 'early.example.com' })
    await member.command('/cert-order', 'withdraw 1')
    await member.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
    const { text } = await member.submit(
      { 'Certificate signing request (CSR)': csr, Product: '101', Duration: '1 year' },
      { until: modalShows('is waiting for approval') },
    )
    expect(text).toContain('A certificate with this key was recorded: early.example.com')
  })

  it('is not shown if it’s of another environment, another workspace, another key, or attached to an order', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    await addOrder(world, world.slack.member)
    const keyHash = (await findOrder(world)).keyHash
    const { store } = world.app
    await addCertificate(store, keyHash, { environment: 'ote' })
    await addCertificate(store, keyHash, { workspaceId: 'T0OTHER' })
    await addCertificate(store, `${keyHash.slice(0, -1)}-`)
    await addCertificate(store, keyHash, { orderId: 'another order' })
    expect(await readEverywhere(world)).toEqual(everywhere())
  })

  it('is on the card as soon as somebody records it, which notifies nobody', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { member, admin } = world.slack
    await addOrder(world, member)
    const pem = await makeCertificateForOrder(world)
    const before = (await listDirectMessages(admin)).length
    await admin.command('/cert-order', 'certificate', { until: ({ view }) => Boolean(view?.view.submit) })
    await admin.submit({ Certificate: pem }, { until: modalShows('⚠️ Order 1 has its key and wasn’t sent') })
    await admin.close({ all: true })
    await admin.until('the card', ({ messages }) =>
      (messages[APPROVALS_CHANNEL] ?? []).some((message) =>
        readText(message).includes('A certificate with this key was recorded: elsewhere.example.com'),
      ),
    )
    expect((await listDirectMessages(admin)).length).toBe(before)
  })

  it('is read by a guest only if an admin lets guests read', async () => {
    for (const guests of [undefined, 'can-view'] as const) {
      await using world = await startOrders({}, { ...(guests && { guests }) })
      await addOrder(world, world.slack.member)
      await addCertificate(world.app.store, (await findOrder(world)).keyHash, { host: 'secret.example.com' })
      const guest = world.slack.user('U0GUEST001')
      const { text } = await guest.command('/cert-order', 'show 1')
      expect(text.includes('secret.example.com')).toBe(guests === 'can-view')
      // A shared copy has only facts about the order itself.
      const share = await world.slack.member.command('/cert-order', 'show 1 --share')
      expect(share.text).not.toContain('secret.example.com')
      const posts = (await world.slack.member.messages()).map(readText).join('\n')
      expect(posts).not.toContain('secret.example.com')
    }
  })

  it('leads an approver from an order of unknown outcome to the button that settles it', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { member, admin } = world.slack
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await admin.submit({}, { until: modalShows('It’s unknown whether') })
    await admin.close({ all: true })
    const keyHash = (await findOrder(world)).keyHash
    const { sha256 } = await addCertificate(world.app.store, keyHash, { host: 'shop.example.com' })
    const order = await admin.command('/cert-order', 'show 1', { until: 'If it was issued' })
    expect(order.text).toContain('If it was issued for this order, the service has the order.')
    expect(order.text).not.toContain('got it elsewhere')
    const shown = await admin.command('/cert-order', `certificate ${sha256}`, {
      until: 'An approver has to confirm',
    })
    await admin.click(shown.message, 'Confirm order 1', { until: 'Show order 1' })
    expect(await findOrderState(world)).toBe('received')
  })
})

it('says of a certificate with the key of a failed order that it may be that order’s', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'status', status: 422, times: 1 })
  await addOrder(world, member)
  await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  await admin.submit({}, { until: modalShows('failed') })
  await admin.close({ all: true })
  expect(await findOrderState(world)).toBe('failed')
  const pem = await makeCertificateForOrder(world)
  await admin.command('/cert-order', 'certificate', { until: ({ view }) => Boolean(view?.view.submit) })
  const { text } = await admin.submit({ Certificate: pem }, { until: modalShows('Recorded') })
  expect(text).toContain('⚠️ Order 1 was sent with its key before it was issued, and has failed.')
  expect(text).not.toContain('No order that was sent from here has its key')
})

/** A certificate for another name, from another authority, with the key of order 1. */
async function makeCertificateForOrder(world: World): Promise<string> {
  const { csr } = (await findOrder(world)).content.request
  using authority = createAuthority()
  authority.write('order.csr', csr)
  authority.sign('order', 'DNS:elsewhere.example.com')
  return authority.text('order.pem')
}

describe.each(eitherOf(SHARED_DATABASES))('the certificates of a key on $name', ({ start }) => {
  it('are only those of one workspace and environment that belong to no order, the newest first', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const wanted = [await addCertificate(store, 'key'), await addCertificate(store, 'key')]
    await addCertificate(store, 'another key')
    await addCertificate(store, 'key', { environment: 'ote' })
    await addCertificate(store, 'key', { workspaceId: 'T2' })
    await addCertificate(store, 'key', { orderId: 'order' })
    const list = async (workspaceId: string, environment: Environment): Promise<string[]> =>
      (await store.certificates.listForKey({ workspaceId, environment }, 'key')).map(({ id }) => id)
    expect(await list(WORKSPACE, 'production')).toEqual(wanted.map(({ id }) => id).toReversed())
    expect(await list(WORKSPACE, 'ote')).toHaveLength(1)
    expect(await list('T2', 'production')).toHaveLength(1)
    expect(await list('T3', 'production')).toEqual([])
  })

  it('are replaced by a later one, found by its names, however many others are current', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS)
    const hosts = ['first.example.com', 'last.example.com'] as const
    const old = [
      await addCertificate(store, 'key', { host: hosts[0], notAfter: inDays(10) }),
      await addCertificate(store, 'key', { host: hosts[1], notAfter: inDays(30) }),
    ]
    await using many = await openDatabase(database.url)
    // None of them has the names. They couldn't be decrypted.
    await sql`
      insert into certificate (id, workspace_id, environment, owner_id, sha256, key_hash, not_after, version, recorded_at, sealed_content)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
      select 'c' || i, ${WORKSPACE}, 'production', 'U1', 's' || i, 'k' || i, ${inDays(20).toISOString()}, 1, '', '' from n`.execute(
      many.rows,
    )
    for (const host of hosts) await addCertificate(store, 'another key', { host, notAfter: inDays(60) })
    for (const { id } of old) expect((await store.certificates.get(id))?.ended).toBe('replaced')
    // Recorded later, but the one from before ends later.
    const earlier = await addCertificate(store, 'third key', { host: hosts[0], notAfter: inDays(40) })
    expect((await store.certificates.get(earlier.id))?.ended).toBe('replaced')
    const plan = await explainPlan(many, currentQuery(many.rows, WORKSPACE, ['x', 'y']))
    expect(plan.scans).toEqual([])
    expect(plan.indexes).toContain('certificate_name_by_name')
  })

  it('are counted in the list by expiry if they can’t be decrypted', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const notAfter = new Date(Date.now() + 20 * DAY_MS)
    await addCertificate(store, 'key', { notAfter: new Date(notAfter.getTime() + DAY_MS) })
    await using many = await openDatabase(database.url)
    await sql`
      insert into certificate (id, workspace_id, environment, owner_id, sha256, key_hash, not_after, version, recorded_at, sealed_content)
      values ('damaged', ${WORKSPACE}, 'production', 'U1', 's', 'k', ${notAfter.toISOString()}, 1, '', '')`.execute(
      many.rows,
    )
    const list = async (limit: number) => {
      const place = { workspaceId: WORKSPACE, environment: 'production' as const, from: new Date() }
      const { certificates, ...page } = await store.certificates.pageByEnd({ ...place, limit })
      return { length: certificates.length, ...page }
    }
    expect(await list(1)).toEqual({ length: 0, undecryptableCount: 1 })
    expect(await list(2)).toEqual({ length: 1, undecryptableCount: 1 })
  })

  it('are found using an index', async () => {
    await using database = await start()
    await using opened = await openStore(database)
    await addCertificate(opened, 'key')
    await using many = await openDatabase(database.url)
    // Not encrypted, because nothing reads their content.
    await sql`
      insert into certificate (id, workspace_id, environment, owner_id, sha256, key_hash, not_after, version, recorded_at, sealed_content)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
      select 'c' || i, 'T1', 'production', 'U1', 's' || i, 'k' || i, '', 1, '', '' from n`.execute(many.rows)
    const query = keyQuery(many.rows, { workspaceId: 'T1', environment: 'production' }, 'k7')
    expect(await explainPlan(many, query)).toMatchObject({ scans: [], indexes: ['certificate_by_key'] })
  })
})
