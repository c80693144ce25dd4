import type { LeasedWork } from '@signalman/durable'
import type { Request } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import type { Begun } from '../../../src/bot/acts.ts'
import { createHandle } from '../../../src/bot/handle.ts'
import { createBudgets } from '../../../src/bot/request/budgets.ts'
import { CommitPending, NotStored } from '../../../src/bot/request/refusals.ts'
import { createLog } from '../../../src/log.ts'
import { startWorld } from '../../world.ts'

const EVENT = '5b8f5ad0-7c3e-4a8e-9a55-0d6c2f6f1c11'

describe('a service that never responds', () => {
  const READS = [
    { command: '/hc', text: '' },
    { command: '/hc', text: 'list' },
    { command: '/hc', text: 'show web' },
    { command: '/hc', text: 'edit web' },
    { command: '/hc', text: 'delete web' },
    { command: '/hc', text: 'alerts web' },
    { command: '/threat', text: EVENT },
  ]

  it('doesn’t delay the answer to Slack', async () => {
    // The service never answers in time, so an acknowledgment that waited for it would come too late for Slack.
    await using world = await startWorld({
      serviceLimits: { timeouts: { headersMs: 60_000, totalMs: 60_000 } },
      requestDeadlines: { responseDeadlineMs: 60_000 },
    })
    for (const { command, text } of READS) {
      await world.service.faults({ path: '/', kind: 'hold' })
      await world.service.clearRequests()
      const { outcome } = await world.slack.member.command(command, text, { until: () => true })
      expect(outcome.ok, `${command} ${text}`).toBe(true)
      await expect.poll(() => world.service.requests('GET')).not.toEqual([])
      await world.service.faults()
    }
  })
})

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
    findEvent: () => undefined,
    run: async () => undefined,
    acts: { begin: unused, run: unused },
    log: createLog('silent'),
    createReference: () => 'one',
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

describe('a ten-megabyte file', () => {
  it('doesn’t block other requests, and is rejected', async () => {
    await using world = await startWorld()
    const { member, admin } = world.slack
    const head = 'name,protocol,target,port,frequency,customer_id\n'
    const { id } = await member.upload(
      'a.csv',
      head + 'a,HTTPS,a.example.com,443,60,5\n'.repeat(320_000),
      'text/csv',
    )
    await member.command('/hc', 'import')
    const refused = member.submit(
      { 'CSV file': [id] },
      { until: 'A file can have 5000 rows', waitMs: 100_000 },
    )
    for (let index = 0; index < 5; index += 1) {
      const { outcome } = await admin.command('/hc', 'access')
      expect(outcome.ok).toBe(true)
    }
    expect((await refused).text).toContain('Split it.')
  })
})
