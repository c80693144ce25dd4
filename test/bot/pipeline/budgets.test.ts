import { describe, expect, it } from 'vitest'
import { createBudgets } from '../../../src/bot/request/budgets.ts'
import { UNLIMITED } from '../../relaxed-limits.ts'
import { startWorld } from '../../world.ts'

const createUser = (userId: string, workspaceId = 'T1') => ({ workspaceId, userId })

describe('rate limits', () => {
  it('allow a person a burst of requests, and then a steady rate', () => {
    let now = 0
    const budgets = createBudgets({ personBurst: 3, personPerMinute: 60 }, () => now)
    const sendRequest = (userId = 'U1') => {
      const { release, limitReached } = budgets.acquire(createUser(userId))
      release()
      return limitReached ?? 'accepted'
    }
    expect([sendRequest(), sendRequest(), sendRequest()]).toEqual(['accepted', 'accepted', 'accepted'])
    expect(sendRequest()).toEqual({ scope: 'person', retryInSeconds: 1, isFirst: true })
    expect(sendRequest()).toEqual({ scope: 'person', retryInSeconds: 1, isFirst: false })
    expect(sendRequest('U2')).toBe('accepted')
    now = 1000
    expect([sendRequest(), sendRequest()]).toEqual([
      'accepted',
      { scope: 'person', retryInSeconds: 1, isFirst: false },
    ])
    now = 3_600_000
    expect([sendRequest(), sendRequest(), sendRequest(), sendRequest()]).toEqual([
      'accepted',
      'accepted',
      'accepted',
      expect.objectContaining({ isFirst: true }),
    ])
  })

  it('limit the concurrent requests of a workspace', () => {
    const budgets = createBudgets({ ...UNLIMITED, workspaceConcurrent: 2 }, () => 0)
    const first = budgets.acquire(createUser('U1'))
    const second = budgets.acquire(createUser('U2'))
    expect([first.limitReached, second.limitReached]).toEqual([undefined, undefined])
    expect(budgets.acquire(createUser('U1')).limitReached).toMatchObject({ scope: 'workspace' })
    expect(budgets.acquire(createUser('U2', 'T2')).limitReached).toBeUndefined()
    first.release()
    second.release()
    expect(budgets.acquire(createUser('U1')).limitReached).toBeUndefined()
  })
})

it('rejects requests above the concurrency limit immediately, and accepts them again later', async () => {
  await using world = await startWorld({
    budgets: { ...UNLIMITED, workspaceConcurrent: 2 },
  })
  const { member, admin } = world.slack
  await world.service.faults({ path: '/', kind: 'hold' })
  const pending = ['list a', 'list b'].map((text) =>
    member.command('/hc', text, { until: 'No health check matches' }),
  )
  await expect
    .poll(async () => (await admin.command('/hc', 'help')).text)
    .toContain('this workspace has sent more')
  await world.service.faults()
  await Promise.all(pending)
  await expect.poll(async () => (await admin.command('/hc', 'help')).text).not.toContain('has sent more')
})
