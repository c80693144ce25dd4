import { X509Certificate } from 'node:crypto'
import { readText } from '@signalman/playground/driver'
import { afterAll, describe, expect, it } from 'vitest'
import { UNTIL_FORM } from '../../../acts/act-kind.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import {
  APPROVALS_CHANNEL,
  findOrderState,
  listDirectMessages,
  modalShows,
  ORDERS_PATH,
  setPolicy,
  startOrders,
  waitForDirectMessage,
} from '../order-helpers.ts'
import { createAuthority } from './make-certificate.ts'
import { order, readFingerprint, record } from './order-and-record.ts'

const authority = createAuthority()
afterAll(() => authority[Symbol.dispose]())
const NAMES = 'DNS:shop.example.com,DNS:www.shop.example.com'

const REMINDER = '⏰ The certificate for shop.example.com'

/** Sets when the certificate that ends first ends. It lived 30 days until then, so its first reminder is due ten days before. */
async function setEnd({ app }: World, at: number): Promise<void> {
  const { certificates } = app.store
  const [certificate] = await certificates.listByEnd({
    ...{ workspaceId: WORKSPACE, environment: 'production', from: new Date(0), limit: 1 },
  })
  if (!certificate) throw new Error('No certificate is stored.')
  const notBefore = new Date(at - 30 * 86_400_000).toISOString()
  const content = { ...certificate.content, notBefore }
  await certificates.update({ ...certificate, notAfter: new Date(at), content })
}

describe('a certificate', () => {
  it.each(eitherOf(SHARED_DATABASES))(
    'is recorded for the order with its key, listed, reminded of, renewed, and replaced, on $name',
    async ({ start }) => {
      await using database = await start()
      await using world = await startOrders(
        {},
        { environment: { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys } },
      )
      const { member, admin } = world.slack
      authority.issue('one', NAMES, { days: 60 })
      await order(world, authority.text('one.csr'))
      const before = await member.command('/cert-order', 'list --expiring', {
        until: 'No certificates to list',
      })
      expect(before.text).toContain('1 received order has no recorded certificate.')
      const recorded = await record(
        member,
        authority.text('one.pem'),
        '🟢 Recorded: shop.example.com +1',
        'C-9',
      )
      expect(recorded).toContain('It was issued for order 1')
      expect(await record(member, authority.text('one.pem'), 'Already recorded', 'C-9')).toContain('order 1')
      // Green only now.
      await member.command('/cert-order', 'show 1', { until: '🟢 Certificate for shop.example.com +1' })
      const list = await member.command('/cert-order', 'list --expiring', {
        until: '1 certificate by expiry',
      })
      expect(list.text).toContain('order 1 · C-9')
      expect(list.text).not.toContain('no recorded certificate')
      // It ends in sixty days.
      const listed: readonly (readonly [typed: string, reads: string])[] = [
        ['list expiring WWW.shop', '1 certificate by expiry · name WWW.shop'],
        ['expiring in the next 90 days', '1 certificate by expiry · ending until'],
        ['list expiring --days 90', '1 certificate by expiry · ending until'],
        ['list certificates expiring within 30 days', 'No certificate matches · ending until'],
        ['list expiring other.example.com', 'No certificate matches · name other.example.com'],
        ['list expiring mine', 'can only be filtered by name and time'],
        ['list expiring last week', '“last week” isn’t one'],
      ]
      for (const [typed, reads] of listed) {
        const { message } = await member.command('/cert-order', typed, { until: reads })
        // Only an empty list offers all of them.
        expect(JSON.stringify(message).includes('The only certificate')).toBe(reads.startsWith('No'))
      }
      const { message } = await member.command('/cert-order', 'list expiring --days 30', {
        until: 'No certificate matches',
      })
      await member.click(message, 'The only certificate', { until: '1 certificate by expiry' })
      await member.command('/cert-order', 'list expiring shop --export', { until: 'by expiry, as a file' })
      const dm = (await member.messages('dm')).flatMap(({ files = [] }) => files.map(({ name }) => name))
      expect(dm).toEqual([expect.stringMatching(/^certificates-\d{4}-\d\d-\d\d\.csv$/)])

      await setPolicy(world, { products: ['101'] })
      // It ends in nine days, so its first reminder is due.
      await setEnd(world, Date.now() + 9 * 86_400_000)
      await waitForDirectMessage(member, REMINDER)
      const [reminder] = (await member.messages('dm')).filter((message) =>
        readText(message).includes(REMINDER),
      )
      const form = await member.click(reminder, 'Renew', { until: 'Filled in from order 1.' })
      expect(JSON.stringify(form.view?.view.blocks)).toContain('"initial_value":"C-9"')
      authority.issue('two', NAMES, { days: 89 })
      await member.submit(
        { 'Certificate signing request (CSR)': authority.text('two.csr') },
        { until: modalShows('is waiting for approval') },
      )
      await member.close({ all: true })
      await member.command('/cert-order', 'list --expiring', { until: 'renewal 2: waiting for approval' })
      const window = await admin.command('/cert-order', 'approve 2', { until: modalShows('Approve order 2') })
      expect(window.text).toContain('What changes against order 1: same names, new key')
      // The policy depends on the product, and the ID that leads to it was typed.
      expect(window.text).toMatch(/⚠️ The product is .*101.* if C-9 is the right ID/)
      expect(readText(window.view)).not.toContain('Nothing unusual')
      await admin.submit({}, { until: modalShows('was received') })
      await admin.close({ all: true })
      expect(await record(member, authority.text('two.pem'), '🟢 Recorded')).toContain('issued for order 2')
      await member.command('/cert-order', 'list --expiring', { until: 'replaced by a later one' })
      // Nobody is reminded of one that was replaced.
      await setEnd(world, Date.now() + 86_400_000)
      expect((await listDirectMessages(member)).filter((text) => text.includes(REMINDER))).toHaveLength(1)
    },
  )

  it('is refused if it is something else, and never attached to an order that wasn’t sent', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    authority.issue('waiting', 'DNS:waiting.example.com')
    await member.command('/cert-order', 'certificate', UNTIL_FORM)
    for (const [pasted, error] of [
      [authority.text('waiting.csr'), 'request (CSR)'],
      [authority.text('waiting.key'), 'private key'],
      [authority.text('ca.pem'), 'authorities'],
      [authority.text('waiting.pem').slice(0, 300), 'cut off'],
    ] as const) {
      const { view } = await member.submit({ Certificate: pasted })
      expect(view?.errors?.certificate).toContain(error)
    }
    // Neither the log nor the database has any part of the key.
    const [, keyLine = ''] = authority.text('waiting.key').split('\n')
    expect(world.log.join('\n')).not.toContain(keyLine)
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 100 })
    expect(JSON.stringify(rows)).not.toContain(keyLine)
    await member.close({ all: true })
    await member.command('/cert-order', '', UNTIL_FORM)
    await member.submit(
      {
        'Certificate signing request (CSR)': authority.text('waiting.csr'),
        Product: '101',
        Duration: '90 days',
      },
      { until: modalShows('is waiting for approval') },
    )
    await member.close({ all: true })
    const text = await record(admin, authority.text('waiting.pem'), '🟢 Recorded')
    expect(text).toContain('⚠️ Order 1 has its key and wasn’t sent')
    const attach = `attach ${await readFingerprint(world)} 1`
    await admin.command('/cert-order', attach, { until: 'they don’t belong together' })
    expect(await findOrderState(world)).toBe('awaiting')
  })

  it('settles an order of unknown outcome once an approver confirms', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    authority.issue('lost', 'DNS:lost.example.com')
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
    await order(world, authority.text('lost.csr'))
    expect(await findOrderState(world)).toBe('unknown')
    const text = await record(member, authority.text('lost.pem'), '🟢 Recorded')
    expect(text).toContain('this certificate shows that the service has it. An approver has to confirm that.')
    expect(await findOrderState(world)).toBe('unknown')
    const attach = `attach ${await readFingerprint(world)} 1`
    await admin.command('/cert-order', attach, { until: 'Certificate for lost.example.com' })
    expect(await findOrderState(world)).toBe('received')
    await member.command('/cert-order', 'show 1', { until: '🟢 Certificate for lost.example.com' })
  })

  it('is handed over with its reminders', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    authority.issue('mine', 'DNS:mine.example.com')
    await record(member, authority.text('mine.pem'), '🟢 Recorded')
    const shown = await admin.command('/hc', `handover ${member.id} ${admin.id}`, {
      until: 'Hand over 1 item',
    })
    expect(shown.text).toContain('1 certificate')
    await admin.click(shown.message, 'Hand over', { until: 'Handed over 1 item' })
    const { certificates } = world.app.store
    expect(await certificates.listOwned(WORKSPACE, member.id)).toEqual([])
    const [owned] = await certificates.listOwned(WORKSPACE, admin.id)
    expect(owned?.content.names).toEqual(['mine.example.com'])
    const rows = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      verb: '/hc handover',
      limit: 5,
    })
    expect(rows).toContainEqual(
      expect.objectContaining({
        object: expect.stringContaining('mine.example.com'),
        before: expect.objectContaining({ ownerId: member.id }),
        after: expect.objectContaining({ ownerId: admin.id }),
      }),
    )
  })

  it('reminds its owner, then also the approvers, each once, and no more if it isn’t needed', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await setPolicy(world, { channelId: APPROVALS_CHANNEL })
    // A third of 30 days is 10, so the first reminder is due 10 days before the end.
    authority.issue('soon', 'DNS:soon.example.com', { days: 30 })
    await record(member, authority.text('soon.pem'), '🟢 Recorded')
    const { certificates } = world.app.store
    const [stored] = await certificates.listByEnd({
      ...{ workspaceId: WORKSPACE, environment: 'production', from: new Date(0), limit: 1 },
    })
    if (!stored) throw new Error('No certificate is stored.')
    const ended = '⏰ The certificate for soon.example.com'
    const countReminders = async (): Promise<[number, number]> => {
      const own = (await listDirectMessages(member)).filter((text) => text.includes(ended)).length
      const posts = (await admin.messages()).filter((message) => readText(message).includes(ended)).length
      return [own, posts]
    }
    const start = Date.now() + 9 * 86_400_000
    await setEnd(world, start)
    await waitForDirectMessage(member, ended)
    await expect.poll(countReminders).toEqual([1, 0])
    await setEnd(world, Date.now() + 3 * 86_400_000)
    await expect.poll(countReminders, { timeout: 20_000 }).toEqual([2, 1])
    const shown = await admin.command('/cert-order', `certificate ${await readFingerprint(world)}`, {
      until: 'Stop reminders',
    })
    await admin.click(shown.message, 'Stop reminders: soon.example.com', { until: 'not needed' })
    await setEnd(world, Date.now() - 1000)
    expect((await certificates.get(stored.id))?.ended).toBe('not-needed')
    expect(await countReminders()).toEqual([2, 1])
  })

  it('that has ended, or isn’t valid yet, is named so, and isn’t green', async () => {
    await using world = await startOrders()
    const { member } = world.slack
    authority.issue('late', 'DNS:late.example.com')
    for (const [fromDays, toDays, said, when] of [
      [-90, -30, '⛔ Recorded: late.example.com', 'ended '],
      [30, 60, '⚠️ Recorded: late.example.com', 'valid from '],
    ] as const) {
      const [from, to] = [fromDays, toDays].map((days) => new Date(Date.now() + days * 86_400_000))
      authority.signBetween('late', from ?? new Date(), to ?? new Date())
      const pem = authority.text('late.pem')
      const recorded = await record(member, pem, said)
      expect(recorded).toContain(when)
      expect(recorded).not.toContain('🟢')
      const fingerprint = new X509Certificate(pem).fingerprint256.replaceAll(':', '')
      const shown = await member.command('/cert-order', `certificate ${fingerprint}`, {
        until: 'Certificate for late.example.com',
      })
      expect(shown.text).toContain(when)
    }
  })

  it('can be recorded in both environments, and each is found in its own', async () => {
    await using world = await startOrders()
    const { member } = world.slack
    authority.issue('both', 'DNS:both.example.com')
    const pem = authority.text('both.pem')
    const fingerprint = new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()
    const recordIn = async (environment: string): Promise<void> => {
      await member.command('/cert-order', `certificate --env ${environment}`, UNTIL_FORM)
      await member.submit({ Certificate: pem }, { until: modalShows('🟢 Recorded') })
      await member.close({ all: true })
    }
    await recordIn('ote')
    // Found in the other environment, but never used to renew in this one.
    const shown = await member.command('/cert-order', `certificate ${fingerprint.slice(0, 12)}`, {
      until: 'Certificate for both.example.com (OTE)',
    })
    expect(JSON.stringify(shown.message)).toContain(`renew ${fingerprint.slice(0, 12)} --env ote`)
    const renewal = await member.command('/cert-order', `renew ${fingerprint} --env production`, {
      until: 'This certificate is in OTE.',
    })
    expect(JSON.stringify(renewal.message ?? renewal.view)).toContain(`renew ${fingerprint} --env ote`)
    await recordIn('production')
    for (const [environment, title] of [
      ['production', /Certificate for both\.example\.com\s+· /],
      ['ote', /Certificate for both\.example\.com \(OTE\)\s+· /],
    ] as const)
      await member.command('/cert-order', `certificate ${fingerprint} --env ${environment}`, { until: title })
    await member.command('/cert-order', `not-needed ${fingerprint} --env ote`, { until: 'not needed' })
    const find = async (environment: 'production' | 'ote') =>
      (await world.app.store.certificates.find({ workspaceId: WORKSPACE, environment }, fingerprint))?.ended
    expect([await find('production'), await find('ote')]).toEqual([undefined, 'not-needed'])
  })
})
