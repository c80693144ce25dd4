import { expect, it } from 'vitest'
import { BULK } from '../../../../src/features/health-checks/changes/changes-job.ts'
import { addChanges, cancelChanges } from '../../../../src/features/health-checks/changes/start-changes.ts'
import { startAct, WORKSPACE } from '../act-in-lives.ts'

const ABOUT = { verb: '/hc edit', title: 'Set frequency', planned: { create: 0, edit: 1, delete: 0 } }
const DIED = 'The process died here.'

it('says that a job stops which it has stopped itself, before its process died', async () => {
  await using act = await startAct()
  const { store } = act
  const first = await act.live({
    outcomeJournal: { ...store.outcomeJournal, settle: () => Promise.reject(new Error(DIED)) },
  })
  const id = await addChanges(first.parts, first.ask, { kind: BULK, about: ABOUT }, [])
  await expect(cancelChanges(first.parts, first.ask, id)).rejects.toThrow(DIED)
  expect(await store.work.find(WORKSPACE, id)).toMatchObject({ state: 'stopped' })
  const { ask: context, parts } = await act.live()
  expect((await cancelChanges(parts, context, id)).text).toContain('Stopping after what is under way.')
})

it('says of a job that was over before that it has ended', async () => {
  await using act = await startAct()
  const { ask: context, parts } = await act.live()
  const id = await addChanges(parts, context, { kind: BULK, about: ABOUT }, [])
  await act.store.work.stop(WORKSPACE, id)
  await expect(cancelChanges(parts, context, id)).rejects.toThrow(
    'This change of many health checks has ended already.',
  )
})
