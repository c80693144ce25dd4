import { describe, expect, it, vi } from 'vitest'
import type { TakedownNews } from '../../../../src/domain/takedown-watch.ts'
import { tellNews } from '../../../../src/features/threats/takedown-watch/tell-news.ts'
import type { Posted } from '../../../../src/slack/client/slack-client.ts'
import { openStore, type Store } from '../../../../src/store/store.ts'
import { KEY_A } from '../../../store/databases.ts'
import { ANN, ID, NOW } from '../cases/sample.ts'
import { sampleWatch } from './sample.ts'

const WATCH = { ...sampleWatch('exa.mple'), by: ANN }
const EVENT = { workspaceId: 'T1', environment: 'production', eventId: ID } as const
const DOWN: TakedownNews = { kind: 'down', at: NOW, wasUp: true }

/** A case that stands in no channel, so that only whoever began the watch can be told. */
async function withCase(store: Store) {
  const newCase = { about: {}, severity: 0 }
  const step = { ...EVENT, enterpriseId: undefined, by: ANN, now: NOW, reference: 'r', newCase }
  await store.threatCases.step({ ...step, kind: 'take' })
  const direct = vi.fn<(...given: unknown[]) => Promise<Posted>>(async () => ({ channelId: 'D1', ts: '1.1' }))
  const warn = vi.fn()
  const { threatCases, audit } = store
  const parts = { threatCases, audit, poster: { direct }, log: { warn } as never, wake: () => undefined }
  const rows = async () =>
    (await audit.search({ workspaceId: 'T1', limit: 9 })).map(({ before, after }) => ({ before, after }))
  return { direct, warn, parts, rows, tell: () => tellNews(parts, WATCH, DOWN, 1) }
}

const openMemory = () => openStore({ url: 'sqlite::memory:', keys: KEY_A })
const refusal = (code: string) => new Error(`An API error occurred: ${code}`)

describe('news of a takedown whose case stands in no channel', () => {
  it.each([
    ['too many requests', Object.assign(new Error('Rate limited'), { retryAfter: 1 })],
    ['a failure of Slack', new Error('Server error 500')],
    ['a refusal that passes', refusal('internal_error')],
  ])('is told once more after %s, as one step and one row of the audit log', async (_, error) => {
    await using store = await openMemory()
    const { direct, rows, tell } = await withCase(store)
    direct.mockRejectedValueOnce(error)
    await expect(tell()).rejects.toBe(error)
    expect(await tell()).toBe('told')
    expect(direct).toHaveBeenCalledTimes(2)
    expect((await store.threatCases.find(EVENT))?.steps.map(({ kind }) => kind)).toEqual(['take', 'down'])
    expect(await rows()).toEqual([{ before: { state: 'taken' }, after: { case: 'down', saw: 'down' } }])
  })

  it('is given up where Slack says no for good', async () => {
    await using store = await openMemory()
    const { direct, warn, tell } = await withCase(store)
    direct.mockRejectedValueOnce(refusal('user_not_found'))
    expect(await tell()).toBe('told')
    expect(warn).toHaveBeenCalledOnce()
  })

  it('is audited by the next run where the first one ended before that', async () => {
    await using store = await openMemory()
    const { parts, rows, tell } = await withCase(store)
    const lost = { ...parts, audit: { ...parts.audit, append: () => Promise.reject(new Error('Gone')) } }
    await expect(tellNews(lost, WATCH, DOWN, 1)).rejects.toThrow('Gone')
    expect(await rows()).toEqual([])
    await tell()
    expect(await rows()).toEqual([{ before: undefined, after: { case: 'down', saw: 'down' } }])
  })
})
