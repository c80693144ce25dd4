import { describe, expect, it } from 'vitest'
import { DONE, type WorkEnd } from '../../../packages/durable/src/work/work-store.ts'
import { openStore } from '../../../src/app/store.ts'
import { MAX_REACHABLE } from '../../../src/bot/access/reachable.ts'
import type { PostPermission } from '../../../src/bot/routes/command-context.ts'
import { createOrderNotifier } from '../../../src/features/cert-orders/order-notifier.ts'
import { ORDER_WORK } from '../../../src/features/cert-orders/rows/order-writer.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { ORDER_SETTINGS } from '../../../src/features/cert-orders/rules/settings.ts'
import { createLog } from '../../../src/log.ts'
import { storeOrder, WORKSPACE } from './order-process.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const REFUSED = new Error('An API error occurred: messages_tab_disabled')
const UNREACHABLE = new Error('socket hang up')
const AGAIN: WorkEnd = { state: 'waiting', dueInMs: 0 }

function classifyMessage(to: string, text: string): 'thread reply' | 'notice' | 'reminder' | 'card' {
  if (to.startsWith('D-')) return 'thread reply'
  if (/your order 1/i.test(text)) return 'notice'
  return /Reminder/.test(text) ? 'reminder' : 'card'
}

/** Starts with an order that awaits approval, three approvers (`U2` to `U4`), and a fake Slack that accepts every message. */
async function startNotifying({
  channelId,
  approvers = ['U2', 'U3', 'U4'],
  admins = [],
}: {
  channelId?: string | undefined
  approvers?: string[]
  admins?: string[]
} = {}) {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url: 'sqlite::memory:' }))
  await store.settings.set(WORKSPACE, ORDER_SETTINGS, { domains: [], ...(channelId && { channelId }) })
  const { orders } = store
  /** What happens at each call. Tests replace it. */
  const faults = {
    post: (_to: string): Promise<void> | Error | undefined => undefined,
    edit: (_channelId: string): Error | undefined => undefined,
    findApprovers: (): Error | undefined => undefined,
    permission: 'yes' as PostPermission,
  }
  async function take(fault: Promise<void> | Error | undefined): Promise<void> {
    if (fault instanceof Error) throw fault
    await fault
  }
  /** People who left, or are guests by now. */
  const gone = new Set<string>()
  const sent: string[] = []
  const texts: string[] = []
  const edits: string[] = []
  let sendCount = 0
  const notifier = createOrderNotifier({
    orders,
    settings: store.settings,
    posting: {
      poster: {
        async post({ target, to = target.channelId }, { text, blocks }) {
          sendCount += 1
          await take(faults.post(to))
          texts.push(text + JSON.stringify(blocks))
          sent.push(`${to} ${classifyMessage(to, text)}`)
          return { channelId: `D-${to}`, ts: String(sendCount) }
        },
        async edit({ channelId }, _ts, { text }) {
          await take(faults.edit(channelId))
          edits.push(`${channelId} ${text}`)
        },
        find: async () => undefined,
      },
      steps: store.steps,
      mayPost: async () => faults.permission,
      log: createLog('silent'),
      times: { assumeLostAfterMs: 0 },
    },
    reachability: {
      async *listReachable() {
        await take(faults.findApprovers())
        yield approvers.slice(0, MAX_REACHABLE)
        yield admins
      },
      explainPerson: async (_where, userId) => (gone.has(userId) ? 'is a guest' : undefined),
    },
    // Names nobody: their IDs are shown.
    people: { readPerson: () => Promise.reject(new Error('Slack is unavailable.')) },
  })
  const order = await storeOrder(store)
  const notice = { workspaceId: WORKSPACE, kind: ORDER_WORK.notice, key: order.id }
  const release = (id: string, end: WorkEnd) => store.work.release(id, 'the test', end)
  const resources = started.move()
  return {
    store,
    order,
    faults,
    sent,
    gone,
    texts,
    edits,
    countAttempts: () => sendCount,
    /** Saves a step of the order, as if someone had taken it. */
    async saveStep(kind: string, change: Partial<Order> = {}): Promise<void> {
      const current = await orders.get(order.id)
      if (!current || !(await orders.saveStep({ ...current, ...change }, { kind, at: NOW })))
        throw new Error('The order can’t be changed.')
    },
    /** Runs the notification work once. Throws if there is nothing to do. Work that waits is due again at once. */
    async sendNotifications(): Promise<WorkEnd> {
      const [work] = await store.work.claimDue('the test', [notice.kind], 1)
      if (!work) throw new Error('There is nothing to send.')
      const { signal } = new AbortController()
      const run = notifier.run({ work, owner: 'the test', signal, wantsStop: () => false })
      const end = await run.catch(async (error: unknown) => {
        await release(work.id, AGAIN)
        throw error
      })
      await release(work.id, end.state === 'done' ? end : AGAIN)
      return end
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const ALL_MESSAGES = ['U2 card', 'U3 card', 'U4 card', 'U1 notice']
const WITHOUT_U3 = ALL_MESSAGES.filter((message) => !message.startsWith('U3'))

const failFor = (whom: string, error: Error) => (to: string) => (to === whom ? error : undefined)

/** The order is approved, and nobody knows what became of its POST. */
async function loseAnswer({ order, saveStep }: Awaited<ReturnType<typeof startNotifying>>): Promise<void> {
  await saveStep('approve', { state: 'submitting' })
  const outcome = { kind: 'unknown', why: 'Interrupted.', said: [], sender: 'silent' } as const
  const approval = { by: 'U2', at: NOW.toISOString(), hash: 'h' }
  await saveStep('unknown', { state: 'unknown', content: { ...order.content, approval, outcome } })
}

describe('notifications about an order', () => {
  it('are sent once to everyone except people that Slack can’t deliver to', async () => {
    await using world = await startNotifying()
    world.faults.post = failFor('U3', REFUSED)
    expect(await world.sendNotifications()).toEqual(DONE)
    expect(world.sent).toEqual(WITHOUT_U3)
    expect(world.countAttempts()).toBe(4)
  })

  it.each(['shared-outside', 'readers-unknown'] as const)(
    'say only that it isn’t waiting anymore in a channel that others read by now: %s',
    async (permission) => {
      await using world = await startNotifying({ channelId: 'C1' })
      await world.sendNotifications()
      world.faults.permission = permission
      await world.saveStep('reject', { state: 'rejected' })
      expect(await world.sendNotifications()).toEqual(DONE)
      expect(world.edits.filter((edit) => edit.startsWith('D-C1'))).toEqual([
        'D-C1 Order 1 isn’t waiting anymore.',
      ])
    },
  )

  // All other codes: test/slack/client/documented-codes.test.ts.
  it.each(['connect ECONNRESET', 'An API error occurred: token_expired'])(
    'are retried only for people who couldn’t be reached (%s)',
    async (fault) => {
      await using world = await startNotifying()
      world.faults.post = failFor('U3', new Error(fault))
      for (const attempts of [4, 5]) {
        expect(await world.sendNotifications()).toMatchObject({ state: 'waiting' })
        expect(world.countAttempts()).toBe(attempts)
      }
      expect(world.sent).toEqual(WITHOUT_U3)
      world.faults.post = () => undefined
      expect(await world.sendNotifications()).toEqual(DONE)
      expect(world.sent).toEqual([...WITHOUT_U3, 'U3 card'])
    },
  )

  it('reach the approvers and then the requester once Slack can look up the approvers', async () => {
    await using world = await startNotifying({ approvers: ['U2'] })
    world.faults.findApprovers = () => UNREACHABLE
    await expect(world.sendNotifications()).rejects.toThrow(UNREACHABLE)
    expect(world.countAttempts()).toBe(0)
    world.faults.findApprovers = () => undefined
    expect(await world.sendNotifications()).toEqual(DONE)
    expect(world.sent).toEqual(['U2 card', 'U1 notice'])
    expect(world.texts.at(-1)).not.toContain('was asked')
  })

  it('remind each approver once, even if one of them can’t be reached at first', async () => {
    await using world = await startNotifying()
    await world.sendNotifications()
    world.sent.length = 0
    world.faults.post = failFor('U2', UNREACHABLE)
    await world.saveStep('remind')
    for (const state of ['waiting', 'waiting'])
      expect(await world.sendNotifications()).toMatchObject({ state })
    world.faults.post = () => undefined
    expect(await world.sendNotifications()).toEqual(DONE)
    expect(world.sent.toSorted()).toEqual(['U2 reminder', 'U3 reminder', 'U4 reminder'])
  })

  it('send each approver only one card if the order’s outcome becomes unknown before the first card is sent', async () => {
    const approvers: string[] = []
    await using world = await startNotifying({ approvers })
    world.faults.post = failFor('U3', UNREACHABLE)
    await world.sendNotifications()
    await loseAnswer(world)
    approvers.push('U2', 'U3')
    world.sent.length = 0
    await world.sendNotifications()
    world.faults.post = () => undefined
    await world.sendNotifications()
    expect(world.sent.toSorted()).toEqual(['D-U1 thread reply', 'U2 card', 'U3 card'])
  })

  it('alert the approvers who have its card, and the requester, if its outcome becomes unknown', async () => {
    await using world = await startNotifying({ approvers: ['U2', 'U3'] })
    await world.sendNotifications()
    world.texts.length = 0
    await loseAnswer(world)
    await world.sendNotifications()
    const alerted = ['U2 card', 'U3 card']
    expect(world.sent.slice(3)).toEqual([...alerted, 'D-U1 thread reply'])
    for (const text of world.texts) expect(text).toContain('It’s unknown whether the service has')
    const { cards: before = [] } = (await world.store.orders.get(world.order.id)) ?? {}
    for (const day of [1, 2]) {
      await world.saveStep('remind')
      await world.sendNotifications()
      expect(world.sent.slice(6), `day ${day}`).toEqual(Array(day).fill(alerted).flat())
    }
    // However long nobody answers.
    expect((await world.store.orders.get(world.order.id))?.cards).toHaveLength(before.length)
  })

  it.each([
    { where: 'in the channel', channelId: 'C1', readers: ['C1', 'D-U1'] },
    {
      where: 'to the approvers and the requester',
      channelId: undefined,
      readers: ['U2', 'U3', 'U4', 'D-U1'],
    },
  ])('say $where that the service answered after an approver had recorded the outcome', async (given) => {
    await using world = await startNotifying({ channelId: given.channelId })
    await world.sendNotifications()
    world.texts.length = 0
    world.sent.length = 0
    const corrects = { by: 'U2', said: 'failed' } as const
    const outcome = { kind: 'received', answered: { id: '500001', answer: '' }, corrects } as const
    await world.saveStep('received', { state: 'received', content: { ...world.order.content, outcome } })
    await world.sendNotifications()
    expect(world.sent.map((message) => message.split(' ', 1)[0])).toEqual(given.readers)
    for (const text of world.texts)
      expect(text).toContain('had recorded that it failed. The service has since given it an ID.')
  })

  it('cover a step that happens while people are being notified of the previous one', async () => {
    await using world = await startNotifying()
    await world.sendNotifications()
    await world.saveStep('edit')
    world.faults.post = () => {
      world.faults.post = () => undefined
      return world.saveStep('withdraw', { state: 'withdrawn' })
    }
    expect(await world.sendNotifications()).toEqual(DONE)
    expect(await world.sendNotifications()).toEqual(DONE)
    // One message, and a reply in its thread for each of the two later steps: edited and withdrawn.
    expect(world.sent.filter((message) => /U1/.test(message))).toEqual([
      'U1 notice',
      'D-U1 thread reply',
      'D-U1 thread reply',
    ])
  })

  it.each([
    ['there is no channel', undefined, []],
    ['the channel refuses it', 'C1', []],
    ['the only approver asks for it', undefined, ['U1']],
  ])('say that nobody else can approve it, and ask nobody, if %s', async (_, channelId, approvers) => {
    await using world = await startNotifying({ approvers, channelId })
    world.faults.post = failFor('C1', REFUSED)
    expect(await world.sendNotifications()).toMatchObject({ state: 'waiting' })
    expect(world.sent).toEqual(['U1 notice'])
    expect(world.texts[0]).toContain('nobody else can approve it')
  })

  it('ask admins if Slack delivers to none of the approvers, or tell the requester that nobody was asked', async () => {
    for (const [admins, messages] of [
      [
        ['U8', 'U9'],
        ['U9 card', 'U1 notice'],
      ],
      [[], ['U1 notice']],
    ] as const) {
      await using world = await startNotifying({ admins: [...admins] })
      world.faults.post = (to) => (/^U[2348]$/.test(to) ? REFUSED : undefined)
      expect(await world.sendNotifications()).toMatchObject({ state: admins.length > 0 ? 'done' : 'waiting' })
      expect(world.sent).toEqual(messages)
      expect(world.texts.at(-1)?.includes('Nobody was notified')).toBe(admins.length === 0)
    }
  })

  it('tell the requester that nobody was asked also if that turns out later', async () => {
    await using world = await startNotifying({ approvers: ['U2'] })
    world.faults.post = failFor('U2', UNREACHABLE)
    expect(await world.sendNotifications()).toMatchObject({ state: 'waiting' })
    expect(world.texts.at(-1)).not.toContain('Nobody was notified')
    world.faults.post = failFor('U2', REFUSED)
    expect(await world.sendNotifications()).toMatchObject({ state: 'waiting' })
    expect(world.edits.at(-1)).toContain('Nobody was notified')
    world.faults.post = () => undefined
    expect(await world.sendNotifications()).toEqual(DONE)
    expect(world.sent).toEqual(['U1 notice', 'U2 card'])
    expect(world.edits.at(-1)).not.toContain('Nobody was notified')
  })

  it('reach at most 20 approvers, which the requester reads', async () => {
    const approvers = Array.from({ length: 45 }, (_, index) => `U${index + 2}`)
    await using world = await startNotifying({ approvers })
    await world.sendNotifications()
    expect(world.sent.filter((message) => message.endsWith(' card'))).toHaveLength(20)
    expect(world.texts.at(-1)).toContain('At most 20 approvers are asked in direct messages.')
    await using few = await startNotifying({ approvers: approvers.slice(0, 19) })
    await few.sendNotifications()
    expect(few.texts.join()).not.toContain('At most')
  })

  it('don’t say to the requester that the order is being sent, because the outcome follows', async () => {
    await using world = await startNotifying()
    await world.sendNotifications()
    await world.saveStep('approve', { state: 'submitting' })
    await world.sendNotifications()
    const edited = world.edits.map((edit) => edit.split(' ', 1)[0])
    expect(edited).toContain('D-U2')
    expect(edited).not.toContain('D-U1')
    expect(world.sent).toEqual(ALL_MESSAGES)
  })

  it('are posted again only to the one who deleted theirs', async () => {
    await using world = await startNotifying()
    await world.sendNotifications()
    world.sent.length = 0
    world.faults.edit = failFor('D-U3', new Error('An API error occurred: message_not_found'))
    await world.saveStep('withdraw', { state: 'withdrawn' })
    expect(await world.sendNotifications()).toEqual(DONE)
    expect(world.sent).toEqual(['U3 card', 'D-U1 thread reply'])
    expect(world.edits.map((edit) => edit.slice(0, 4))).toEqual(['D-U2', 'D-U4', 'D-U1'])
  })

  it('aren’t edited for somebody who has left or is a guest by now', async () => {
    await using world = await startNotifying({ approvers: ['U2', 'U3'] })
    await world.sendNotifications()
    world.gone.add('U3')
    await world.saveStep('withdraw', { state: 'withdrawn' })
    await world.sendNotifications()
    const listEdited = () => world.edits.map((edit) => edit.split(' ', 1)[0])
    expect(listEdited()).toContain('D-U2')
    expect(listEdited()).not.toContain('D-U3')
    const [edits, posts] = [listEdited().length, world.sent.length]
    for (const userId of ['U1', 'U2']) world.gone.add(userId)
    await world.saveStep('reject', { state: 'rejected' })
    await world.sendNotifications()
    expect([listEdited().length, world.sent.length]).toEqual([edits, posts])
  })

  it('reach the requester and the channel before a certificate may end', async () => {
    await using world = await startNotifying({ channelId: 'C1' })
    await world.sendNotifications()
    const outcome = { kind: 'received' as const, answered: { id: '4711', answer: '{}' } }
    await world.saveStep('approve', { state: 'submitting' })
    await world.saveStep('received', {
      state: 'received' as const,
      receivedAt: NOW,
      content: { ...world.order.content, outcome, remindAt: undefined },
    })
    await world.sendNotifications()
    world.texts.length = 0
    await world.saveStep('remind')
    await world.sendNotifications()
    const ENDS = /If a certificate was issued then, it ends about/
    expect(world.texts.filter((text) => ENDS.test(text))).toHaveLength(2)
  })
})
