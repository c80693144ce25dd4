import type { LeasedWork } from '@signalman/durable'
import type { Request } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import type { Begun } from '../../../src/bot/acts.ts'
import { createHandle } from '../../../src/bot/handle.ts'
import { createBudgets } from '../../../src/bot/request/budgets.ts'
import { CommitPending, NotStored } from '../../../src/bot/request/refusals.ts'
import { createLog } from '../../../src/log.ts'
import { UNLIMITED } from '../../relaxed-limits.ts'

const COMMAND = { kind: 'command', command: 'hc', text: 'list' } as const
const SURFACE = { kind: 'command', responseUrl: '', triggerId: '' } as const

const createRequest = (userId: string): Request => ({
  ...COMMAND,
  origin: { userId, workspaceId: 'T1', surface: SURFACE },
})

const unused = () => Promise.reject(new Error('Not called in this test.'))

/** Handles requests without a world. */
const handleAlone = (deps: Partial<Parameters<typeof createHandle>[0]>) =>
  createHandle({
    find: () => ({ verb: '/hc list', needs: 'viewer' }),
    run: async () => undefined,
    acts: { begin: unused, holdsForMs: 1000, run: unused },
    log: createLog('silent'),
    budgets: createBudgets(),
    ...deps,
  })

it('acknowledges every request that has arrived before it starts on the first response', async () => {
  const order: string[] = []
  const handleRequest = handleAlone({
    run: async (_request, { userId }) => void order.push(`${userId} answered`),
  })
  const sendCommand = (userId: string): Promise<void> =>
    handleRequest(createRequest(userId), userId, async () => void order.push(`${userId} acknowledged`))
  const first = sendCommand('U1')
  // Resolved promises run before the next socket's request is read.
  for (let hops = 0; hops < 100; hops += 1) await undefined
  await Promise.all([first, sendCommand('U2')])
  expect(order).toEqual(['U1 acknowledged', 'U2 acknowledged', 'U1 answered', 'U2 answered'])
})

it('refuses a request above a limit at once, and makes room when another ends', async () => {
  const running = Promise.withResolvers<void>()
  const acknowledged: string[] = []
  const handleRequest = handleAlone({
    budgets: createBudgets({ ...UNLIMITED, workspaceConcurrent: 1 }),
    run: () => running.promise,
  })
  const sendCommand = (userId: string): Promise<void> =>
    handleRequest(createRequest(userId), userId, async (content = '') => {
      acknowledged.push(JSON.stringify(content))
    })
  const first = sendCommand('U1')
  await sendCommand('U2')
  running.resolve()
  await first
  await sendCommand('U3')
  expect(acknowledged).toEqual(['""', expect.stringContaining('this workspace has sent more'), '""'])
})

describe('an act', () => {
  /** Sends an act, and returns what happens in which order. */
  async function send(begun: Begun): Promise<string[]> {
    const order: string[] = []
    await handleAlone({
      find: () => ({
        verb: '/hc env',
        needs: 'operator',
        isAct: true,
        ack: 'working',
        repeatedAck: 'repeated',
      }),
      acts: {
        async begin() {
          order.push('stored')
          return begun
        },
        holdsForMs: 1000,
        run: async () => void order.push('run'),
      },
    })(createRequest('U1'), 'key', async (content) => {
      order.push(typeof content === 'string' ? content : (content as { text: string }).text)
    })
    return order
  }

  it('is stored before it is acknowledged, and then run', async () => {
    // Cast, because only its identity matters here.
    expect(await send({ leased: { work: { id: 'w' } } as LeasedWork })).toEqual(['stored', 'working', 'run'])
  })

  it('isn’t run again if another delivery of it was stored before', async () => {
    expect(await send({ leased: undefined })).toEqual(['stored', 'repeated'])
  })

  it.each([new NotStored(), new CommitPending()])(
    'isn’t run if it wasn’t stored, and the acknowledgement says so: $name',
    async (refusal) => {
      const [, text] = await send({ refusal })
      expect(text).toContain(refusal.message)
    },
  )
})
