import { expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'
import { WORKSPACE } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import { approveOrder, createFormAnswers, modalShows, ORDERS_PATH, startOrders } from './order-helpers.ts'

const CSR_FIELD = 'Certificate signing request (CSR)'

/** Waits for the modal, because alerts may arrive before it. */
const OPENED = { until: ({ view }: { view?: unknown }): boolean => view !== undefined }

it.each(eitherOf(SHARED_DATABASES))(
  'allows one open order per key and per certificate, regardless of who requests it and how, on $name',
  { timeout: 120_000 },
  async ({ start }) => {
    await using database = await start()
    const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
    await using world = await startOrders({}, { environment })
    await using second = await startApp({
      budgets: UNLIMITED,
      requestDeadlines: LONG_DEADLINES,
      config: world.config,
      log: createLog('silent'),
    })
    const { member, admin } = world.slack
    const csr = makeCsr()
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })

    const ANSWERED = /is waiting for approval|for the same key, /

    // Two people use the same key at the same time, in two processes. Only one order is created, and its outcome stays unknown.
    for (const requester of [member, admin]) await requester.command('/cert-order')
    const memberRequest = member.submit(createFormAnswers(csr), { until: ANSWERED })
    world.playground.setAppUrl(second.url)
    const adminRequest = admin.submit(
      { ...createFormAnswers(csr), 'Order reference': 'PO 2' },
      { until: ANSWERED },
    )
    const texts = (await Promise.all([memberRequest, adminRequest])).map(({ text }) => text)
    expect(texts.filter((text) => text.includes('Order 1, for the same key, '))).toHaveLength(1)
    for (const requester of [member, admin]) await requester.close({ all: true })
    const requesterId = (await world.app.store.orders.find(WORKSPACE, 1))?.requesterId
    const approver = requesterId === member.id ? admin : member
    await approveOrder(approver, 1, 'It’s unknown whether')

    const again = createFormAnswers(csr)
    const { Product: _, ...renewal } = again
    const attempts = [
      { typed: '', answers: { ...again, Product: '202', 'Order reference': 'PO 3', Duration: '2 years' } },
      { typed: 'renew C-1', answers: renewal },
      { typed: 'reissue C-1', answers: renewal },
    ]
    for (const [index, { typed, answers }] of attempts.entries()) {
      world.playground.setAppUrl(index % 2 === 0 ? second.url : world.app.url)
      const requester = index % 2 === 0 ? admin : member
      await requester.command('/cert-order', typed, OPENED)
      const { text } = await requester.submit(answers, { until: modalShows('for the same key') })
      expect(text).toContain('Order 1, for the same key, may have reached the service.')
      await requester.close({ all: true })
    }
    const typed = await member.command('/cert-order', 'again 1')
    expect(typed.text).toContain('Order 1, for the same key, may have reached the service')

    // A renewal that may have reached the service blocks other renewals of the same certificate, with any key.
    const [key1, key2] = [makeCsr(), makeCsr()]
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
    await member.command('/cert-order', 'renew C-7', OPENED)
    await member.submit({ ...renewal, [CSR_FIELD]: key1.pem }, { until: modalShows('is waiting') })
    await member.close({ all: true })
    await approveOrder(admin, 2, 'It’s unknown whether')
    await admin.command('/cert-order', 'reissue c-7', OPENED)
    await admin.submit(
      { ...renewal, [CSR_FIELD]: key2.pem },
      { until: modalShows('Order 2, for the same certificate, may have') },
    )
    await admin.close({ all: true })
    expect(await world.service.orders()).toHaveLength(2)

    // Once the outcome is known, the key can be used again.
    await approver.command('/cert-order', 'resolve 1 failed', OPENED)
    await approver.submit({}, { until: modalShows('failed') })
    await approver.close({ all: true })
    await member.command('/cert-order', 'again 1', OPENED)
    await member.submit({}, { until: modalShows('is waiting for approval') })
  },
)
