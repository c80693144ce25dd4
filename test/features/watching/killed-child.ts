// Polls, decides, and sends, until its parent kills it. The parent is the service, the clock, and Slack. See killed-anywhere.test.ts.

import { flushCompileCache } from 'node:module'
import { openStore } from '../../../src/app/store.ts'
import { createPosts } from '../../../src/bot/posts/post-once.ts'
import type { DeliveryDeps } from '../../../src/features/watching/delivery/deliver-work.ts'
import { createDeliveryWork } from '../../../src/features/watching/delivery/deliver-work.ts'
import { createLog } from '../../../src/log.ts'
import type { ChildRequest, ParentReply } from './killed-protocol.ts'

const [, , url = '', keys = '', workId = ''] = process.argv
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const CHANNEL = 'C1'
let requests = 0
const waiting = new Map<number, (reply: ParentReply) => void>()
process.on('message', (reply: ParentReply) => waiting.get(reply.id)?.(reply))
process.on('disconnect', () => process.exit())

function ask(request: Omit<ChildRequest, 'id'>): Promise<ParentReply> {
  requests += 1
  const id = requests
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    process.send?.({ id, ...request })
  })
}

// A killed process can't save it, and the next one starts faster with it.
flushCompileCache()
let nowMs = (await ask({ kind: 'clock' })).nowMs
const store = await openStore({ url, keys, clock: () => new Date(nowMs) })
const { watching, postAttempts } = store
const lease = { workId, owner: 'poller' }
const log = createLog('silent')
const times = { assumeLostAfterMs: 0 }
const posting: DeliveryDeps['posting'] = {
  poster: {
    async post(message, content, options) {
      options?.beforeRequest?.()
      const { postId = '' } = options ?? {}
      await ask({ kind: 'post', postId, text: content.text, thread: message.target.threadTs })
      return { channelId: CHANNEL, ts: postId }
    },
    async edit(_, ts, content) {
      await ask({ kind: 'edit', postId: ts, text: content.text })
    },
    async find(_, { postId }) {
      return (await ask({ kind: 'find', postId })).isFound ? { channelId: CHANNEL, ts: postId } : undefined
    },
  } as DeliveryDeps['posting']['poster'],
  posts: createPosts({ attempts: postAttempts, log, times }),
  steps: { hasLease: async () => true },
  mayPost: async () => 'yes',
  reportError: (error) => {
    throw error
  },
}
const reachability = { explainPerson: async () => undefined, explainGroup: async () => undefined }
const delivery = createDeliveryWork({ watching, posting, log, reachability } as unknown as DeliveryDeps)
const signal = new AbortController().signal

/** Sends everything that is pending. */
async function deliver(): Promise<void> {
  const work = { id: workId, workspaceId: 'T1', key: CHANNEL, attempts: 1 }
  const leased = { work, owner: 'poller', signal } as unknown as Parameters<typeof delivery.run>[0]
  while ((await delivery.run(leased)).state !== 'done') await ask({ kind: 'clock' })
}

for (;;) {
  const { down = [], up = [], presses = false, ...reply } = await ask({ kind: 'poll' })
  nowMs = reply.nowMs
  const bad = new Map(down.map((name) => [name, { uuid: name, name }]))
  const result = { bad, good: new Set(up), installing: new Set<string>(), deleted: new Set<string>() }
  await watching.polls.saveResult(SCOPE, lease, result, 30_000)
  await watching.update('T1', 'production')
  const [taken] = await watching.onIt.listTaken('T1', 'U1', 1)
  if (presses && taken) await watching.onIt.removePerson('T1', 'U1')
  await deliver()
  await ask({ kind: 'done' })
}
