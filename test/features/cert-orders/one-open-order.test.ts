import { expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'
import { makeCsr } from './csr/make-csr.ts'
import { createFormAnswers, findOrderState, modalShows, ORDERS_PATH, startOrders } from './order-helpers.ts'

/** Waits for the modal, because alerts may arrive before it. */
const OPENED = { until: ({ view }: { view?: unknown }): boolean => view !== undefined }

it.each(eitherOf(SHARED_DATABASES))(
  'allows one open order per key and per certificate, regardless of who requests it and how, on $name',
  { timeout: 120_000 },
  async ({ start }) => {
    await using database = await start()
    const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
    await using world = await startOrders({ direct: true }, { environment })
    await using second = await startApp({
      budgets: UNLIMITED,
      requestDeadlines: LONG_DEADLINES,
      config: world.config,
      log: createLog('silent'),
    })
    const { member, admin } = world.slack
    const csr = await makeCsr()
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })

    // Two people use the same key at the same time, in two processes. Only one order is created, and its outcome stays unknown.
    const ANSWERED = /It’s unknown whether|for the same key, /
    for (const requester of [member, admin]) await requester.command('/cert-order')
    const memberRequest = member.submit(createFormAnswers(csr), { until: ANSWERED })
    world.playground.setAppUrl(second.url)
    const adminRequest = admin.submit(
      { ...createFormAnswers(csr), 'Order reference': 'PO 2' },
      { until: ANSWERED },
    )
    const texts = (await Promise.all([memberRequest, adminRequest])).map(({ text }) => text)
    expect(texts.filter((text) => text.includes('It’s unknown whether'))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('Order 1, for the same key, '))).toHaveLength(1)
    for (const requester of [member, admin]) await requester.close({ all: true })
    expect(await findOrderState(world)).toBe('unknown')

    const again = createFormAnswers(csr)
    const createRenewal = ({ Product: _, ...rest }: ReturnType<typeof createFormAnswers>) => rest
    const renewal = createRenewal(again)
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
      expect(text).toContain('Nothing was changed.')
      await requester.close({ all: true })
    }
    const typed = await member.command('/cert-order', 'again 1')
    expect(typed.text).toContain('Order 1, for the same key, may have reached the service')
    expect(await world.service.orders()).toHaveLength(1)
    expect(await findOrderState(world, 2)).toBeUndefined()

    // A renewal that may have reached the service blocks other renewals of the same certificate, with any key.
    // Other names than order 1, because people have to approve an order that touches it.
    const host = 'renewed.example.com'
    const options = { subject: `CN=${host}`, names: [{ type: 'dns' as const, value: host }] }
    const [key1, key2] = [await makeCsr(options), await makeCsr(options)]
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
    await member.command('/cert-order', 'renew C-7', OPENED)
    await member.submit(createRenewal(createFormAnswers(key1)), { until: ANSWERED })
    await member.close({ all: true })
    for (const [index, typed] of ['renew C-7', 'reissue C-7'].entries()) {
      world.playground.setAppUrl(index % 2 === 0 ? second.url : world.app.url)
      await admin.command('/cert-order', typed, OPENED)
      const { text } = await admin.submit(createRenewal(createFormAnswers(key2)), {
        until: modalShows('for the same certificate'),
      })
      expect(text).toContain('Order 2, for the same certificate, may have reached the service.')
      await admin.close({ all: true })
    }
    expect(await world.service.orders()).toHaveLength(2)

    // The other environment is independent. Once the outcome is known, the key can be used again.
    await member.command('/cert-order', '--env ote', OPENED)
    await member.submit(again, { until: modalShows('was received') })
    await member.close({ all: true })
    await admin.command('/cert-order', 'resolve 1 failed', OPENED)
    await admin.submit({}, { until: modalShows('failed') })
    await admin.close({ all: true })
    await member.command('/cert-order', 'again 1', OPENED)
    await member.submit({}, { until: modalShows('was received') })
    expect(await world.service.orders()).toHaveLength(3)
  },
)
