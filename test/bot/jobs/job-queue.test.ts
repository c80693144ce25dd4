import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import type { Store } from '../../../src/app/store.ts'
import { createQueue } from '../../../src/bot/jobs/job-queue.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'

type Person = Parameters<ReturnType<typeof createQueue>['prepare']>[0]
// Cast: a job keeps only these.
const by = (userId: string) => ({ workspaceId: 'T1', userId, environment: 'production' }) as Person

const WITHIN_MS = 20

const EVENT: AuditEvent = {
  ...{ workspaceId: 'T1', at: new Date(), actor: { userId: 'U1' }, verb: '/hc export', object: 'checks' },
  ...{ outcome: 'done', reference: 'R' },
}

describe.each(SHARED_DATABASES)('jobs on $name', ({ start }) => {
  it('are found by their kinds, and say that nothing was changed if they were stopped before they ran', async () => {
    await using store = await startStore(start)
    const queue = createQueue(store.work, { wake: () => undefined })
    const decide = <T>(work: (jobs: ReturnType<typeof queue.within>) => Promise<T>) =>
      store.audit.decide('T1', async (decisions) => ({
        outcome: await work(queue.within(decisions)),
        auditEvent: EVENT,
      }))
    const add = () => decide((jobs) => jobs.add(by('U1'), { kind: 'export', details: {} }))
    const [stopped, running] = [await add(), await add()]
    expect(await queue.find(by('U1'), ['other'], stopped)).toBeUndefined()
    expect((await queue.find(by('U1'), ['export', 'other'], stopped))?.id).toBe(stopped)
    const waiting = expect(queue.end(by('U1'), stopped)).rejects.toThrow('Nothing was changed.')
    expect(await decide((jobs) => jobs.stop(stopped))).toBe('stopped')
    await waiting
    await store.work.claimDue('me', ['export'], 9)
    expect(await decide((jobs) => jobs.stop(running))).toBe('asked')
    expect(await queue.end(by('U1'), running, WITHIN_MS)).toBeUndefined()
    // It was given up, so something may have been changed.
    await store.work.release(running, 'me', { state: 'stopped' })
    expect(await queue.end(by('U1'), running, WITHIN_MS)).toBeUndefined()
  })

  it.each(['this process', 'another process', 'another process, which tells it at once'])(
    'end either where somebody waits for them or in a message, whenever that is: in %s',
    async (where) => {
      await using store = await startStore(start)
      for (let at = 1, looks = at; looks >= at; at += 1) {
        const { id, queue, ...seen } = await endAt(store, where, at)
        looks = seen.looks
        if (looks >= at)
          expect([seen.ended, ...seen.messages].filter(Boolean), `ends at look ${at}`).toHaveLength(1)
        // Somebody still waits.
        if (looks > at) expect(seen.ended !== undefined).toBe(!where.endsWith('at once'))
        expect(queue.announceEnd(id)).toBe(false)
        // Also a second press.
        if (seen.ended) expect(await queue.end(by('U1'), id, WITHIN_MS)).toEqual(seen.ended)
      }
    },
  )
})

/** Ends a job at this look of a request that waits for it. Returns what the request was told, and what is left for a message. */
async function endAt({ work }: Pick<Store, 'work'>, where: string, at: number) {
  const kind = `kind-${at}`
  const id = await work.add({ workspaceId: 'T1', kind, body: {} }, 'waiting')
  const claim = () => work.claimDue('runner', [kind], 1)
  const [job] = await claim()
  let looks = 0
  let isRead = false
  let messages: unknown[] = []
  async function end(): Promise<void> {
    const ended = { message: { text: 'Done', blocks: [] }, state: 'done', at: '' }
    if (job) await work.replaceBody(job, 'runner', { ended })
    const runner = where === 'this process' ? queue : createQueue(work, { wake: () => undefined })
    isRead = runner.announceEnd(id)
    if (!isRead) await work.release(id, 'runner', { state: 'waiting', dueInMs: 0, isSuccess: true })
    if (where.endsWith('at once')) messages = await claim()
    // It's too late by then, but what was announced is read.
    await pause(WITHIN_MS)
  }
  const looking: typeof work = {
    ...work,
    async find(...args) {
      const seen = await work.find(...args)
      looks += 1
      if (looks === at) await end()
      return seen
    },
  }
  const queue = createQueue(looking, { wake: () => undefined })
  const ended = await queue.end(by('U1'), id, WITHIN_MS)
  if (isRead) await work.release(id, 'runner', { state: 'done' })
  else if (messages.length === 0) messages = await claim()
  return { id, queue, looks, ended, messages }
}
