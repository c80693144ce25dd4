import type { LeasedWork } from '@signalman/durable'
import { NO_ANSWER, type Request } from '@signalman/slack'
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

const ORIGIN = createRequest('U1').origin
const SUBMISSION = { kind: 'submission', view: {}, origin: ORIGIN } as Request
const PRESS = { kind: 'action', origin: ORIGIN } as Request

describe('an act', () => {
  /** Sends an act, and returns what happens in which order. */
  async function send(begun: Begun, request = createRequest('U1'), holdsForMs = 1000): Promise<string[]> {
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
        holdsForMs,
        run: async () => void order.push('run'),
      },
    })(request, 'key', async (content) => {
      if (content === NO_ANSWER) order.push('no answer')
      else order.push(typeof content === 'string' ? content : (content as { text: string }).text)
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

  const LEASED: Begun = { leased: { work: { id: 'w' } } as LeasedWork }
  it.each([
    // Another process may have shown the outcome in the window.
    { what: 'a window', request: SUBMISSION, begun: LEASED, order: ['no answer', 'run'] },
    {
      what: 'a window, maybe',
      request: SUBMISSION,
      begun: { refusal: new CommitPending() },
      order: ['no answer'],
    },
    {
      what: 'a window, not at all',
      request: SUBMISSION,
      begun: { refusal: new NotStored() },
      order: ['working'],
    },
    // Without an acknowledgement, Slack says that it failed, and the person would type or press it again.
    { what: 'a command', request: createRequest('U1'), begun: LEASED, order: ['working', 'run'] },
    { what: 'a button', request: PRESS, begun: LEASED, order: ['working', 'run'] },
  ])(
    'is acknowledged, if it was stored so late that another process may have it, only where that replaces nothing: $what',
    async ({ request, begun, order }) => {
      expect(await send(begun, request, 0)).toEqual(['stored', ...order])
    },
  )
})
