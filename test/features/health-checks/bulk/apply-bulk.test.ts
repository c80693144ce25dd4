import { expect, it } from 'vitest'
import { applyBulk } from '../../../../src/features/health-checks/bulk/apply-bulk.ts'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { BULK } from '../../../../src/features/health-checks/changes/changes-job.ts'
import { startAct, WORKSPACE } from '../act-in-lives.ts'

const REQUEST = parseBulk('edit', { words: ['web-*'], flags: { frequency: '30' } })
const DIED = 'The process died here.'

/** The act up to the death of its first process: the job is there, and what it is to do is not yet. */
async function startCutShort() {
  const act = await startAct()
  await act.service.addCheck({ name: 'web-1' })
  const { digest } = await planBulk(act.api, REQUEST)
  const { ask: context, parts } = await act.live({
    workSteps: { ...act.store.workSteps, add: () => Promise.reject(new Error(DIED)) },
  })
  await expect(applyBulk(parts, context, REQUEST, digest)).rejects.toThrow(DIED)
  return { act, digest, runs: async () => await act.store.work.open(WORKSPACE, [BULK]) }
}

it('begins after a crash what was seen', async () => {
  const { act, digest, runs } = await startCutShort()
  await using _ = act
  const { ask: context, parts } = await act.live()
  expect((await applyBulk(parts, context, REQUEST, digest)).text).toContain('It runs.')
  const [job, ...others] = await runs()
  expect(others).toEqual([])
  expect(await act.store.workSteps.counts(job?.id ?? '')).toMatchObject({ ready: 1 })
})

it('begins nothing after a crash when other checks match by then, and shows them', async () => {
  const { act, digest, runs } = await startCutShort()
  await using _ = act
  await act.service.addCheck({ name: 'web-2' })
  const { ask: context, parts } = await act.live()
  const { text } = await applyBulk(parts, context, REQUEST, digest)
  expect(text).toContain('This is no longer what was shown, so nothing was begun')
  expect(await runs()).toEqual([])
})
