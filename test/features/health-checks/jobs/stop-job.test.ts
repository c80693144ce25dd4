import { describe, expect, it } from 'vitest'
import type { JobBody } from '../../../../src/bot/jobs/job-queue.ts'
import { CHANGES_KIND } from '../../../../src/features/health-checks/jobs/changes-job.ts'
import { readJobResult } from '../../../../src/features/health-checks/jobs/job-result.ts'
import { stopJob } from '../../../../src/features/health-checks/jobs/start-job.ts'
import { createRandom } from '../../../random.ts'
import type { Death } from '../../../simulated-process.ts'
import { openJobStore, PEOPLE, startProcesses } from './processes.ts'

let workspaces = 0
const ALREADY_ENDED = 'This job has already ended.'

/** More than the calls of a stop. */
const MAX_CALLS = 25
/** One for each moment at which a process can die: before and after each of its calls. */
const DEATHS: readonly Death[] = Array.from({ length: MAX_CALLS }, (_, afterCalls) => [
  { afterCalls, isBefore: true },
  { afterCalls, isBefore: false },
]).flat()

const DETAILS = {
  verb: '/hc edit',
  title: 'Set frequency to 30 s',
  planned: { create: 0, edit: 2, delete: 0 },
  account: 'A',
  startedBy: PEOPLE.starter,
}

/** A waiting job in a workspace of its own, whose first process dies at a chosen moment. */
async function startWithJob(store: Awaited<ReturnType<typeof openJobStore>>, death: Death) {
  workspaces += 1
  const workspaceId = `T${workspaces}`
  const caller = { workspaceId, userId: PEOPLE.starter, reference: 'R' }
  const body: JobBody = { caller, environment: 'production', details: DETAILS }
  const id = await store.work.add({ workspaceId, kind: CHANGES_KIND, body }, 'waiting')
  const below = (limit: number): number =>
    limit === 50 ? death.afterCalls : limit === 2 && !death.isBefore ? 1 : 0
  const deaths = { left: 1 }
  const processes = startProcesses(store, {
    workspaceId,
    random: { ...createRandom(1), below },
    deaths,
    api: () => Promise.reject(new Error('Stopping a job needs no request to the service.')),
    listShows: 'given',
  })
  return {
    workspaceId,
    id,
    /** Stops the job. `afterDeath` runs once the first process has died. */
    stop: (afterDeath?: () => Promise<void>) =>
      processes.act(PEOPLE.starter, async (deps, context) => {
        if (deaths.left === 0) await afterDeath?.()
        return (await stopJob(deps, context, id)).text
      }),
    findState: async () => (await store.work.find(workspaceId, id))?.state,
  }
}

describe('stopping a job, whenever the process dies', () => {
  it('ends a waiting job, says so, and refuses to stop it again', async () => {
    await using store = await openJobStore()
    for (const death of DEATHS) {
      const { stop, findState } = await startWithJob(store, death)
      expect(await stop()).toContain('Stopped while it was waiting.')
      expect(await findState()).toBe('stopped')
      await expect(stop()).rejects.toThrow(ALREADY_ENDED)
    }
  })

  it('says that a running job is stopping only if that job was asked to', async () => {
    const answers = new Set<string>()
    await using store = await openJobStore()
    for (const death of DEATHS) {
      const { id, stop } = await startWithJob(store, death)
      await store.work.claimDue('me', [CHANGES_KIND], 1)
      let isAsked: boolean | undefined
      const end = async (): Promise<void> => {
        isAsked = (await store.work.renew('me')).get(id)
        await store.work.release(id, 'me', { state: isAsked ? 'stopped' : 'done' })
      }
      const answer = await stop(end).catch(String)
      answers.add(answer)
      const isStopping = answer.includes('Stopping after the current changes.')
      if (isAsked !== undefined) expect({ death, isStopping }).toEqual({ death, isStopping: isAsked })
      else expect(isStopping).toBe(true)
    }
    expect(answers.size).toBe(2)
  })
})

it('lets a job be continued if only its first change is left', async () => {
  await using store = await openJobStore()
  const { id, workspaceId } = await startWithJob(store, { afterCalls: 0, isBefore: true })
  await store.workSteps.add(id, [
    { line: 1, body: { step: { do: 'edit', line: 1, uuid: 'u', name: 'web' } } },
  ])
  const context = { workspaceId, environment: 'production', now: new Date() } as const
  const result = await readJobResult(
    { id, details: DETAILS, context, isStopped: true },
    { steps: store.workSteps, moveToReplacements: store.watching.moveWatches },
    undefined,
  )
  expect(result).toMatchObject({ undecryptable: 0, next: { canContinue: true } })
})
