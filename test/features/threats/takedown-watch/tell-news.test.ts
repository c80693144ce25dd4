import { describe, expect, it, vi } from 'vitest'
import type { Posted } from '../../../../packages/slack/src/client/slack-client.ts'
import { openStore, type Store } from '../../../../src/app/store.ts'
import { createPostOnce } from '../../../../src/bot/posts/post-once.ts'
import type { TakedownNews } from '../../../../src/features/threats/takedown-watch/rules.ts'
import { tellNews } from '../../../../src/features/threats/takedown-watch/tell-news.ts'
import { createLog } from '../../../../src/log.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { ANN, BEN, ID, NOW } from '../cases/sample.ts'
import { postingParts, sampleWatch } from './sample.ts'

const LOG = createLog('silent')
const WATCH = sampleWatch('exa.mple')
const EVENT = { workspaceId: 'T1', environment: 'production', eventId: ID } as const
const DOWN: TakedownNews = { kind: 'down', at: NOW }

/** A case that stands in no channel, so that only whoever began the watch can be told. */
async function withCase(store: Store) {
  const newCase = { about: {}, severity: 0 }
  const step = { ...EVENT, enterpriseId: undefined, by: ANN, now: NOW, reference: 'r', newCase }
  await store.threatCases.step({ ...step, kind: 'take' })
  const direct = vi.fn<() => Promise<Posted>>(async () => ({ channelId: 'D1', ts: '1.1' }))
  const warn = vi.fn()
  const { threatCases, audit } = store
  const parts = {
    ...postingParts(direct, createPostOnce({ attempts: store.postAttempts, log: LOG, times: { lateMs: 0 } })),
    steps: store.recordedSteps,
    threatCases,
    audit,
    log: { warn } as never,
    wake: () => undefined,
  }
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'k', key: 'k' }, 'me')
  const held = { work, owner: 'me', signal: new AbortController().signal, wantsStop: () => false }
  const sent = vi.fn<() => Promise<void>>(async () => undefined)
  const rows = async () =>
    (await audit.search({ workspaceId: 'T1', limit: 9 })).map(({ before, after }) => ({ before, after }))
  const told = { number: 1, sent }
  return { direct, warn, parts, held, rows, sent, told, tell: () => tellNews(parts, held, WATCH, DOWN, told) }
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

  it('is not sent again where it stands although the answer to it was lost', async () => {
    await using store = await openMemory()
    const { direct, parts, held, told } = await withCase(store)
    const poster = { ...parts.poster, findDirect: async () => ({ channelId: 'D1', ts: '1.1' }) }
    const tell = () => tellNews({ ...parts, poster }, held, WATCH, DOWN, told)
    direct.mockRejectedValueOnce(new Error('socket hang up'))
    await expect(tell()).rejects.toThrow('socket hang up')
    expect(await tell()).toBe('told')
    expect(direct).toHaveBeenCalledOnce()
  })

  it('is written down as sent while its mark still says to look for it', async () => {
    await using store = await openMemory()
    const { sent, tell } = await withCase(store)
    const marked = () => store.postAttempts.find({ workspaceId: 'T1', key: `takedown ${WATCH.id} 1` })
    const seen: unknown[] = []
    sent.mockImplementation(async () => void seen.push(await marked()))
    expect(await tell()).toBe('told')
    expect(seen).toEqual([expect.objectContaining({ version: 1 })])
    expect(await marked()).toBeUndefined()
  })

  it('goes to whoever began the watch, not to whoever has the case', async () => {
    await using store = await openMemory()
    const { direct, tell } = await withCase(store)
    const began = { kind: 'note', by: BEN, now: NOW, reference: 'w', text: 'Watched' } as const
    await store.threatCases.step({ ...EVENT, enterpriseId: undefined, ...began })
    await tell()
    expect(JSON.stringify(direct.mock.calls)).toContain(`"${BEN.userId}"`)
    expect(JSON.stringify(direct.mock.calls)).not.toContain(`"${ANN.userId}"`)
  })

  it('is given up where Slack says no for good', async () => {
    await using store = await openMemory()
    const { direct, warn, tell } = await withCase(store)
    direct.mockRejectedValueOnce(refusal('user_not_found'))
    expect(await tell()).toBe('told')
    expect(warn).toHaveBeenCalledOnce()
  })

  it('asks nobody to look where a person has said already that it is down', async () => {
    await using store = await openMemory()
    const { direct, parts, held, told } = await withCase(store)
    const down = { ...EVENT, enterpriseId: undefined, by: ANN, now: NOW, reference: 'd' } as const
    await store.threatCases.step({ ...down, kind: 'down' })
    await tellNews(parts, held, WATCH, { kind: 'unreachable', at: NOW }, told)
    expect(JSON.stringify(direct.mock.calls)).not.toContain('It is down')
  })

  it.each([
    { kind: 'unreachable', direct: ['It is down', 'It is up', 'Case'] },
    { kind: 'up', direct: ['Case'] },
  ] as const)('leaves the case open where it is $kind', async ({ kind, direct: labels }) => {
    await using store = await openMemory()
    const { direct, parts, held, told } = await withCase(store)
    await tellNews(parts, held, WATCH, { kind, at: NOW }, told)
    expect(await store.threatCases.find(EVENT)).toMatchObject({ state: 'taken' })
    const shown = JSON.stringify(direct.mock.calls).match(/(?<="plain_text","text":")[^"]*/g) ?? []
    expect(shown.slice(1)).toEqual(labels)
  })

  it('opens a case again that a person has closed, once the page is seen up', async () => {
    await using store = await openMemory()
    const { parts, held, told } = await withCase(store)
    const down = {
      ...EVENT,
      enterpriseId: undefined,
      by: ANN,
      now: NOW,
      reference: 'd',
      kind: 'down',
    } as const
    await store.threatCases.step(down)
    await tellNews(parts, held, WATCH, { kind: 'up', at: NOW }, told)
    expect(await store.threatCases.find(EVENT)).toMatchObject({ state: 'taken', holder: ANN })
  })

  it('is audited by the next run where the first one ended before that', async () => {
    await using store = await openMemory()
    const { parts, held, rows, tell, told } = await withCase(store)
    const lost = { ...parts, audit: { ...parts.audit, append: () => Promise.reject(new Error('Gone')) } }
    await expect(tellNews(lost, held, WATCH, DOWN, told)).rejects.toThrow('Gone')
    expect(await rows()).toEqual([])
    await tell()
    expect(await rows()).toEqual([{ before: undefined, after: { case: 'down', saw: 'down' } }])
  })
})
