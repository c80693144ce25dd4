import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
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

  it.each([
    { where: 'this process', isHere: true },
    { where: 'another process', isHere: false },
  ])(
    'end either where somebody waits for them or in a message, whenever that is: in $where',
    async ({ isHere }) => {
      await using store = await startStore(start)
      for (let at = 1, looks = at; looks >= at; at += 1) {
        looks = 0
        const kind = `kind-${at}`
        const id = await store.work.add({ workspaceId: 'T1', kind, body: {} }, 'waiting')
        const [job] = await store.work.claimDue('runner', [kind], 1)
        let isRead = false
        const work: typeof store.work = {
          ...store.work,
          async find(...args) {
            const seen = await store.work.find(...args)
            looks += 1
            if (looks === at && job) {
              const ended = { message: { text: 'Done', blocks: [] }, state: 'done', at: '' }
              await store.work.replaceBody(job, 'runner', { ended })
              isRead = (isHere ? queue : createQueue(store.work, { wake: () => undefined })).announceEnd(id)
              await store.work.release(
                id,
                'runner',
                isRead ? { state: 'done' } : { state: 'waiting', dueInMs: 0, isSuccess: true },
              )
              // It's too late by then, but what was announced is read.
              await pause(WITHIN_MS)
            }
            return seen
          },
        }
        const queue = createQueue(work, { wake: () => undefined })
        const ended = await queue.end(by('U1'), id, WITHIN_MS)
        const messages = await store.work.claimDue('runner', [kind], 1)
        if (looks >= at) expect([ended, ...messages].filter(Boolean), `ends at look ${at}`).toHaveLength(1)
        if (isRead) expect(ended).toBeDefined()
        expect(queue.announceEnd(id)).toBe(false)
        // Also a second press.
        if (ended) expect(await queue.end(by('U1'), id, WITHIN_MS)).toEqual(ended)
      }
    },
  )
})
