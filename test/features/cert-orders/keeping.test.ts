import { describe, expect, it } from 'vitest'
import { certOrderParts } from '../../../src/features/cert-orders/parts.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { CSR, peopleOf, WORKSPACE } from './kills.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-03-01T12:00:00.000Z')

interface Kept extends AsyncDisposable {
  store: Store
  told: string[]
  pass(hours: number): Promise<void>
  ask(): Promise<void>
  state(): Promise<string | undefined>
}

/** One order book over a store in memory, whose clock is moved by hand. */
async function startKept(slack: Partial<ReturnType<typeof peopleOf>['messenger']> = {}): Promise<Kept> {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url: 'sqlite::memory:' }))
  let now = START
  const told: string[] = []
  const people = peopleOf(told)
  const messenger = { ...people.messenger, ...slack }
  const given = { store, ...people, messenger, now: () => new Date(now) }
  const { routes, start } = certOrderParts({ ...given, times: { keepEveryMs: 2 ** 30 } })
  const keeping = started.use(start())
  const who = {
    workspaceId: WORKSPACE,
    enterpriseId: undefined,
    userId: 'U1',
    holds: async () => true,
    proves: async () => true,
    // Only the text of a body is asked of it.
    api: async () => ({ orders: { bodyOf: JSON.stringify } }) as never,
    change: async <T>(_deed: unknown, work: () => Promise<T>) => work(),
  }
  const everything = started.move()
  return {
    store,
    told,
    async pass(hours) {
      now += hours * HOUR_MS
      await keeping.keep()
    },
    async ask() {
      const request = { action: 'create', csr: CSR, duration: '1 year', productId: '101' }
      const csr = { subject: 'CN=a', names: [], key: 'EC', signature: 'ECDSA', warnings: [] }
      await routes.book.request(who, { environment: 'production', request, csr, names: {} })
    },
    state: async () => (await store.orders.find(WORKSPACE, 1))?.state,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

describe('what orders need that nobody presses', () => {
  it('reminds once, then lets what nobody decided on expire, and tells of both', async () => {
    await using kept = await startKept()
    await kept.ask()
    await kept.pass(23)
    const before = kept.told.length
    await kept.pass(2)
    expect(kept.told.slice(before)).toEqual([expect.stringContaining('Reminder: order 1 still waits')])
    await kept.pass(24)
    expect(kept.told.length).toBe(before + 1)
    await kept.pass(24)
    expect(await kept.state()).toBe('expired')
    expect(kept.told.at(-1)).toContain('Your order 1: expired.')
    const [row] = await kept.store.audit.search({ workspaceId: WORKSPACE, limit: 5 })
    expect(row).toMatchObject({
      verb: '/cert-order expire',
      actor: { userId: 'signalman' },
      after: { state: 'expired' },
    })
    await kept.pass(1000)
    expect(kept.told.at(-1)).toContain('Your order 1: expired.')
  })

  it('tells later what Slack did not take, and loses no step', async () => {
    let isAway = true
    const told: string[] = []
    const { messenger } = peopleOf(told)
    const post: typeof messenger.post = async (...given) => {
      if (isAway) throw new Error('Slack is away.')
      return messenger.post(...given)
    }
    await using kept = await startKept({ post, direct: post })
    await kept.ask()
    await kept.pass(0)
    expect(told).toEqual([])
    isAway = false
    await kept.pass(1)
    expect(told.join()).toContain('Your order 1: awaiting approval.')
    expect(await kept.store.orders.untold(new Date(START + 2 * HOUR_MS), 10)).toEqual([])
  })

  it('does not stop at somebody who cannot be written to', async () => {
    const told: string[] = []
    const { messenger } = peopleOf(told)
    const direct: typeof messenger.post = async (where, environment, userId, message) => {
      if (userId === 'U2') throw new Error('An API error occurred: user_not_found')
      return messenger.post(where, environment, userId, message)
    }
    await using kept = await startKept({ direct })
    await kept.ask()
    await kept.pass(0)
    expect(told.join()).toContain('Your order 1: awaiting approval.')
  })
})
