import type { PostAttempts } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import type { WorkEnd } from '../../../packages/durable/src/work/work-store.ts'
import type { Message } from '../../../packages/slack/src/blocks/message.ts'
import type { PostedMessage, PostOptions } from '../../../packages/slack/src/client/slack-client.ts'
import { openStore } from '../../../src/app/store.ts'
import { createPosts } from '../../../src/bot/posts/post-once.ts'
import type { PostTarget } from '../../../src/bot/posts/poster.ts'
import { createOrderNotifier } from '../../../src/features/cert-orders/order-notifier.ts'
import { buildNewOrder } from '../../../src/features/cert-orders/order-service.ts'
import { ORDER_WORK } from '../../../src/features/cert-orders/rows/order-writer.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { ORDER_SETTINGS } from '../../../src/features/cert-orders/rules/settings.ts'
import { createLog } from '../../../src/log.ts'
import { exampleRequest, WORKSPACE } from './order-process.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const REFUSED = 'An API error occurred: messages_tab_disabled'
const TIMES = { leaseMs: 1000, pollMs: 10, retryMs: 1 }

/** Simulates that Slack accepted a message but its response was lost. */
class AnswerLost extends Error {
  override readonly name = 'AnswerLost'
}

function classifyMessage(to: string, text: string): 'thread reply' | 'notice' | 'reminder' | 'card' {
  if (to.startsWith('D-')) return 'thread reply'
  if (/your order 1/i.test(text)) return 'notice'
  return /Reminder/.test(text) ? 'reminder' : 'card'
}

/** Starts with an order that awaits approval, three approvers (`U2` to `U4`), and a fake Slack that calls `onSend` for each message. */
async function startNotifying(
  onSend: (to: string) => Promise<void> | undefined,
  {
    channelId,
    approvers = ['U2', 'U3', 'U4'],
    findHolders = async () => approvers,
    failedBefore = 0,
    withoutEngine = false,
    onFind,
    onStored,
  }: {
    channelId?: string
    approvers?: string[]
    findHolders?: () => Promise<string[]>
    /** The number of earlier attempts that failed. */
    failedBefore?: number
    /** Starts no engine. The test calls `sendNotifications` instead. */
    withoutEngine?: boolean
    /** Called when a message is searched for. */
    onFind?: () => Promise<void> | undefined
    /** Called after the location of a posted message is stored, before its attempt is settled. */
    onStored?: (key: string) => void
  } = {},
) {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url: 'sqlite::memory:' }))
  await store.settings.set(WORKSPACE, ORDER_SETTINGS, { domains: [], ...(channelId && { channelId }) })
  const orders = store.orders
  const sent: string[] = []
  const texts: string[] = []
  const edits: string[] = []
  const cardBlocks: string[] = []
  const postsById = new Map<string, PostedMessage>()
  let sendCount = 0
  const send = async (
    to: string,
    { text, blocks }: Message,
    { postId = '' }: PostOptions = {},
  ): Promise<PostedMessage> => {
    sendCount += 1
    const posted = { channelId: `D-${to}`, ts: String(sendCount) }
    await onSend(to)?.catch((error: unknown) => {
      if (error instanceof AnswerLost) postsById.set(postId, posted)
      throw error
    })
    postsById.set(postId, posted)
    texts.push(text)
    cardBlocks.push(JSON.stringify(blocks))
    sent.push(`${to} ${classifyMessage(to, text)}`)
    return posted
  }
  async function find(
    _place: PostTarget,
    { postId }: { postId: string },
  ): Promise<PostedMessage | undefined> {
    await onFind?.()
    return postsById.get(postId)
  }
  const attempts: PostAttempts = {
    ...store.postAttempts,
    async finish(post, postId) {
      onStored?.(post.key)
      await store.postAttempts.finish(post, postId)
    },
  }
  const notifier = createOrderNotifier({
    orders,
    settings: store.settings,
    posting: {
      poster: {
        post: ({ target, to = target.channelId }, message, options) => send(to, message, options),
        edit: async ({ channelId }, _ts, { text }) => {
          edits.push(`${channelId} ${text}`)
        },
        find: ({ target }, sent) => find(target, sent),
      },
      posts: createPosts({ attempts, log: createLog('silent'), times: { assumeLostAfterMs: 0 } }),
      steps: store.steps,
      mayPost: async () => 'yes',
      reportError: () => undefined,
    },
    findHolders,
    lookUpName: async (_where: unknown, id: string) => id,
    redrawHomes: async () => undefined,
  })
  const where = {
    workspaceId: WORKSPACE,
    enterpriseId: undefined,
    requesterId: 'U1',
    bodyHash: 'h',
    now: NOW,
  }
  const newOrder = buildNewOrder(exampleRequest('PO 1'), where)
  const order = await orders.add(newOrder, { kind: 'request', at: NOW, userId: 'U1' })
  const notice = { workspaceId: WORKSPACE, kind: ORDER_WORK.notice, key: order.id }
  for (let attempt = 0; attempt < failedBefore; attempt += 1) {
    const work = await store.work.claim(notice, 'an earlier process')
    await store.work.release(work?.id ?? '', 'an earlier process', { state: 'waiting', dueInMs: 0 })
  }
  const start = () =>
    startEngine({ store: store.work, kinds: [notifier], log: createLog('silent'), times: TIMES })
  if (!withoutEngine) started.use(start())
  const resources = started.move()
  return {
    orders,
    order,
    cardBlocks: () => cardBlocks,
    sent,
    texts,
    edits,
    listPendingPosts: () => store.postAttempts.listPending(WORKSPACE, ''),
    start,
    countAttempts: () => sendCount,
    /** Saves a step of the order, as if someone had taken it. */
    async saveStep(kind: string, change: (order: Order) => Order = (order) => order): Promise<void> {
      const current = await orders.get(order.id)
      if (!current || !(await orders.saveStep(change(current), { kind, at: NOW })))
        throw new Error('The order can’t be changed.')
    },
    /** Lets another process take over the notification work. */
    async loseLease(): Promise<void> {
      const [lease] = await store.work.listLeases()
      await store.work.release(lease?.id ?? '', 'the test', { state: 'waiting', dueInMs: 0 })
    },
    /** Runs the notification work once. */
    async sendNotifications(): Promise<WorkEnd> {
      const work = await store.work.claim(notice, 'the test')
      if (!work) throw new Error('There is nothing to send.')
      const { signal } = new AbortController()
      const end = await notifier.run({ work, owner: 'the test', signal, wantsStop: () => false })
      await store.work.release(work.id, 'the test', { state: 'waiting', dueInMs: 0 })
      return end
    },
    /** Whether all notifications have been sent. */
    isDone: async () => {
      const work = await store.work.claim(notice, 'the test')
      if (work) await store.work.release(work.id, 'the test', { state: 'waiting', dueInMs: 0 })
      return !work && (await store.work.listLeases()).length === 0
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const ALL_MESSAGES = ['U2 card', 'U3 card', 'U4 card', 'U1 notice']

describe('notifications about an order', () => {
  it('are sent once to everyone except people that Slack can’t deliver to', async () => {
    await using world = await startNotifying((to) =>
      to === 'U3' ? Promise.reject(new Error(REFUSED)) : undefined,
    )
    await expect.poll(() => world.sent).toEqual(ALL_MESSAGES.filter((message) => !message.startsWith('U3')))
    await expect.poll(world.isDone).toBe(true)
    expect(world.countAttempts()).toBe(4)
  })

  it('are sent in Signalman’s own words if Slack refuses their content', async () => {
    let isRefused = true
    await using world = await startNotifying((to) => {
      if (to !== 'U2' || !isRefused) return undefined
      isRefused = false
      return Promise.reject(new Error('An API error occurred: invalid_blocks'))
    })
    await expect.poll(world.isDone).toBe(true)
    expect(world.texts).toContain(
      'Certificate order 1 has news. Slack refused the message about it. To see it, use /cert-order show 1.',
    )
  })

  // All other codes: test/slack/client/documented-codes.test.ts.
  it.each([
    'connect ECONNRESET',
    'A rate limit was exceeded',
    'An API error occurred: internal_error',
    'An API error occurred: token_expired',
  ])('are retried only for people who couldn’t be reached (%s)', async (fault) => {
    let isDown = true
    await using world = await startNotifying((to) =>
      isDown && to === 'U3' ? Promise.reject(new Error(fault)) : undefined,
    )
    await expect.poll(world.countAttempts).toBeGreaterThan(6)
    expect(world.sent).toEqual(ALL_MESSAGES.filter((message) => !message.startsWith('U3')))
    isDown = false
    await expect.poll(() => world.sent.toSorted()).toEqual(ALL_MESSAGES.toSorted())
    await expect.poll(world.isDone).toBe(true)
  })

  it('reach the approvers even after a long Slack outage', async () => {
    await using world = await startNotifying(() => undefined, { failedBefore: 60 })
    await expect.poll(() => world.sent).toEqual(ALL_MESSAGES)
    await expect.poll(world.isDone).toBe(true)
  })

  it('are retried at least every five minutes while Slack is down', async () => {
    const failToSend = () => Promise.reject(new Error('socket hang up'))
    await using world = await startNotifying(failToSend, { failedBefore: 60, withoutEngine: true })
    const end = await world.sendNotifications()
    expect(end.state === 'waiting' && end.dueInMs).toBeLessThanOrEqual(300_000)
  })

  it('reach the approvers and then the requester once Slack can look up the approvers', async () => {
    let isDown = true
    let lookups = 0
    const findHolders = async () => {
      lookups += 1
      if (isDown) throw new Error('connect ECONNRESET')
      return ['U2']
    }
    await using world = await startNotifying(() => undefined, { findHolders })
    await expect.poll(() => lookups).toBeGreaterThan(1)
    expect(world.countAttempts()).toBe(0)
    isDown = false
    await expect.poll(() => world.sent).toEqual(['U2 card', 'U1 notice'])
    await expect.poll(world.isDone).toBe(true)
    expect(world.texts.at(-1)).not.toContain('was asked')
  })

  it('remind each approver once, even if one of them can’t be reached at first', async () => {
    let isDown = false
    await using world = await startNotifying((to) =>
      isDown && to === 'U2' ? Promise.reject(new Error('socket hang up')) : undefined,
    )
    await expect.poll(() => world.sent).toEqual(ALL_MESSAGES)
    await expect.poll(world.isDone).toBe(true)
    isDown = true
    await world.saveStep('remind')
    await expect.poll(world.countAttempts).toBeGreaterThan(8)
    isDown = false
    const listReminders = () => world.sent.filter((message) => message.endsWith('reminder')).toSorted()
    await expect.poll(listReminders).toEqual(['U2 reminder', 'U3 reminder', 'U4 reminder'])
    await expect.poll(world.isDone).toBe(true)
    expect(listReminders()).toHaveLength(3)
  })

  it('reach the requester once about a missed step, even if reminders follow', async () => {
    let isDown = true
    await using world = await startNotifying(
      (to) => (isDown && to === 'U1' ? Promise.reject(new Error('socket hang up')) : undefined),
      { withoutEngine: true },
    )
    await world.sendNotifications()
    await world.saveStep('remind')
    isDown = false
    await world.sendNotifications()
    await world.sendNotifications()
    await world.saveStep('remind')
    await world.sendNotifications()
    expect(world.sent.filter((message) => message === 'U1 notice')).toHaveLength(1)
    expect(world.sent.filter((message) => message === 'U2 reminder')).toHaveLength(2)
  })

  it('send each approver only one card if the order’s outcome becomes unknown before the first card is sent', async () => {
    let isDown = true
    const approvers: string[] = []
    await using world = await startNotifying(
      (to) => (isDown && to === 'U3' ? Promise.reject(new Error('socket hang up')) : undefined),
      { approvers, withoutEngine: true },
    )
    await world.sendNotifications()
    const approval = { by: 'U2', at: NOW.toISOString(), hash: 'h' }
    await world.saveStep('approve', (order) => ({
      ...order,
      state: 'submitting',
      content: { ...order.content, approval },
    }))
    const outcome = { kind: 'unknown', why: 'Interrupted.', said: [], sender: 'silent' } as const
    await world.saveStep('unknown', (order) => ({
      ...order,
      state: 'unknown',
      content: { ...order.content, approval, outcome },
    }))
    approvers.push('U2', 'U3')
    world.sent.length = 0
    await world.sendNotifications()
    isDown = false
    await world.sendNotifications()
    expect(world.sent.toSorted()).toEqual(['D-U1 thread reply', 'U2 card', 'U3 card'])
  })

  it('cover a step that happens while people are being notified of the previous one', async () => {
    let takeStep: (() => Promise<unknown>) | undefined
    await using world = await startNotifying(async () => {
      const step = takeStep
      takeStep = undefined
      await step?.()
    })
    await expect.poll(world.isDone).toBe(true)
    const [before] = await world.orders.list({ workspaceId: WORKSPACE, limit: 1 })
    if (!before) throw new Error('There is no order.')
    takeStep = async () => {
      const current = await world.orders.get(before.id)
      if (current?.state !== 'awaiting') throw new Error('The order isn’t waiting for approval.')
      await world.orders.saveStep({ ...current, state: 'withdrawn' }, { kind: 'withdraw', at: NOW })
    }
    await world.orders.saveStep(before, { kind: 'edit', at: NOW })
    // One message, and a reply in its thread for each of the two later steps: edited and withdrawn.
    await expect
      .poll(() => world.sent.filter((message) => /U1/.test(message)))
      .toEqual(['U1 notice', 'D-U1 thread reply', 'D-U1 thread reply'])
    await expect.poll(world.isDone).toBe(true)
  })

  it.each([{ channelId: undefined }, { channelId: 'C1' }])(
    'say that nobody can approve it, if there is no channel that got it: $channelId',
    async ({ channelId }) => {
      await using world = await startNotifying(
        (to) => (to === 'C1' ? Promise.reject(new Error(REFUSED)) : undefined),
        { approvers: [], ...(channelId && { channelId }) },
      )
      await expect.poll(world.isDone).toBe(true)
      expect(world.texts.at(-1)).toContain('nobody else can approve it')
    },
  )

  const withdraw = (order: Order): Order => ({ ...order, state: 'withdrawn' })

  it('update a card even if Slack’s response was lost and the order has changed since', async () => {
    let isLost = true
    let isDown = false
    await using world = await startNotifying(
      (to) => (isLost && to === 'U2' ? Promise.reject(new AnswerLost()) : undefined),
      {
        approvers: ['U2'],
        withoutEngine: true,
        onFind: () => (isDown ? Promise.reject(new Error('socket hang up')) : undefined),
      },
    )
    await world.sendNotifications()
    isLost = false
    isDown = true
    await world.saveStep('withdraw', withdraw)
    expect(await world.sendNotifications()).toMatchObject({ state: 'waiting' })
    expect(world.edits.filter((message) => message.startsWith('D-U2'))).toEqual([])
    isDown = false
    expect(await world.sendNotifications()).toEqual({ state: 'done' })
    const edits = world.edits.filter((message) => message.startsWith('D-U2'))
    expect(edits).toEqual([expect.stringMatching(/^D-U2 .*was withdrawn/s)])
    expect(world.sent.filter((message) => message.startsWith('U2'))).toEqual([])
    expect(await world.listPendingPosts()).toEqual([])
  })

  it('update a card only once if the process dies right after it stores the card’s location', async () => {
    let isDying = true
    await using world = await startNotifying(() => undefined, {
      approvers: ['U2'],
      withoutEngine: true,
      onStored: (key) => {
        if (isDying && key.includes('card to U2')) throw new Error('The process died.')
      },
    })
    await world.sendNotifications()
    isDying = false
    await world.saveStep('withdraw', withdraw)
    expect(await world.sendNotifications()).toEqual({ state: 'done' })
    expect(world.edits.filter((message) => message.startsWith('D-U2'))).toHaveLength(1)
    expect(world.sent.filter((message) => message.startsWith('U2'))).toEqual(['U2 card'])
    expect(await world.listPendingPosts()).toEqual([])
  })
})

it('reminds the requester and the channel before a certificate may end, unless a later order has its names', async () => {
  for (const hasLater of [false, true]) {
    await using world = await startNotifying(() => undefined, { channelId: 'C1', withoutEngine: true })
    await world.sendNotifications()
    const answered = { id: '4711', answer: '{}' }
    const receive = (order: Order): Order => ({
      ...order,
      ...{ state: 'received', receivedAt: NOW, wakeAt: undefined },
      content: { ...order.content, outcome: { kind: 'received', answered }, remindAt: undefined },
    })
    await world.saveStep('approve', (order) => ({ ...order, state: 'submitting' }))
    await world.saveStep('received', receive)
    await world.sendNotifications()
    if (hasLater) {
      const {
        id: _,
        number: __,
        version: ___,
        cards: ____,
        updatedAt: _____,
        ...later
      } = receive(world.order)
      await world.orders.add(
        { ...later, keyHash: 'another' },
        { kind: 'request', at: NOW, reference: 'later' },
      )
    }
    world.texts.length = 0
    await world.saveStep('remind')
    await world.sendNotifications()
    const ENDS = /If a certificate was issued then, it ends about/
    expect(world.texts.filter((text) => ENDS.test(text))).toHaveLength(hasLater ? 0 : 2)
  }
})

it('messages at most 20 approvers', async () => {
  const approvers = Array.from({ length: 45 }, (_, index) => `U${index + 2}`)
  await using world = await startNotifying(() => undefined, { approvers, withoutEngine: true })
  await world.sendNotifications()
  expect(world.sent.filter((message) => message.endsWith(' card'))).toHaveLength(20)
})

it('asks no approver about their own order, and says that nobody else can approve it', async () => {
  await using world = await startNotifying(() => undefined, { approvers: ['U1'], withoutEngine: true })
  await world.sendNotifications()
  expect(world.sent).toEqual(['U1 notice'])
  expect(world.cardBlocks().join()).toContain('nobody else can approve it')
})

it('isn’t continued by a process that lost the work, and the next one sends nothing twice', async () => {
  let isLost = false
  await using world = await startNotifying(
    async (to) => {
      if (to !== 'U2' || isLost) return
      isLost = true
      await world.loseLease()
    },
    { withoutEngine: true },
  )
  await expect(world.sendNotifications()).rejects.toThrow('The lease was lost')
  expect(world.sent).toEqual(['U2 card'])
  await world.sendNotifications()
  expect(world.sent).toEqual(ALL_MESSAGES)
  expect((await world.orders.get(world.order.id))?.cards.map(({ key }) => key)).toEqual([
    'card to U2',
    'card to U3',
    'card to U4',
    'mine',
  ])
})

it('edits the cards at each step, but no reply about one', async () => {
  await using world = await startNotifying(() => undefined, { withoutEngine: true })
  await world.sendNotifications()
  await world.saveStep('reject', (order) => ({ ...order, state: 'rejected', wakeAt: undefined }))
  await world.sendNotifications()
  expect(world.sent.at(-1)).toBe('D-U1 thread reply')
  world.edits.length = 0
  await world.sendNotifications()
  expect(world.edits.map((edit) => edit.split(' ')[0])).toEqual(['D-U2', 'D-U3', 'D-U4', 'D-U1'])
})
