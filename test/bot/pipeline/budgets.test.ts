import { describe, expect, it } from 'vitest'
import { createBudgets } from '../../../src/bot/request/budgets.ts'
import { UNLIMITED } from '../../relaxed-limits.ts'

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
