import type { Message, Posted } from '@signalman/slack'
import { expect, it } from 'vitest'
import { BULK } from '../../../../src/features/health-checks/changes/changes-job.ts'
import {
  addChanges,
  cancelChanges,
  startChanges,
} from '../../../../src/features/health-checks/changes/start-changes.ts'
import { startAct, WORKSPACE } from '../act-in-lives.ts'

const ABOUT = { verb: '/hc edit', title: 'Set frequency', planned: { create: 0, edit: 1, delete: 0 } }
const DIED = 'The process died here.'

it('says that a job is cancelled which it has stopped itself, before its process died', async () => {
  await using act = await startAct()
  const { store } = act
  const first = await act.live({
    outcomeJournal: { ...store.outcomeJournal, settle: () => Promise.reject(new Error(DIED)) },
  })
  const id = await addChanges(first.parts, first.ask, { kind: BULK, about: ABOUT }, [])
  await expect(cancelChanges(first.parts, first.ask, id)).rejects.toThrow(DIED)
  expect(await store.work.find(WORKSPACE, id)).toMatchObject({ state: 'stopped' })
  const { ask: context, parts } = await act.live()
  expect((await cancelChanges(parts, context, id)).text).toContain('Cancelled before it began.')
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

it('tells whoever asked for a job that it was cancelled while it waited, and the other one no more than is so', async () => {
  await using act = await startAct()
  const { ask, parts } = await act.live()
  const told: unknown[] = []
  const asker = { ...ask, userId: 'U2' }
  const canceller = {
    ...ask,
    tell: async (userId: string, { text }: Message) => {
      told.push([userId, text])
      return { channelId: 'D1', ts: '1.1' }
    },
    amend: async (at: Posted, { text }: Message) => void told.push([at.ts, text]),
  }
  const id = await addChanges(parts, asker, { kind: BULK, about: ABOUT }, [
    { line: 1, change: { do: 'edit', uuid: 'u', name: 'web', patch: { frequency: 30 } } },
  ])
  await startChanges(parts, asker, id)
  const { text } = await cancelChanges(parts, canceller, id)
  expect(text).toBe('Cancelled while it waited for its turn. What was done before stays.')
  const says = expect.stringMatching(
    /^Cancelled: 0 of 1 health check is changed\.\nIt was cancelled while it waited for its turn\.\nNothing was changed\.\n+1 left/,
  )
  expect(told).toEqual([['U2', says]])
  await startChanges(parts, canceller, id)
  await act.store.work.showAt(id, { channelId: 'D1', ts: '2.2' })
  await cancelChanges(parts, canceller, id)
  expect(told).toEqual([
    ['U2', says],
    ['2.2', says],
  ])
})

it('says of a job that has ended and waits until that is read that it has ended', async () => {
  await using act = await startAct()
  const { ask: context, parts } = await act.live()
  const id = await addChanges(parts, context, { kind: BULK, about: ABOUT }, [])
  await startChanges(parts, context, id)
  const [held] = (await Array.fromAsync(act.store.work.claimDue('one', [BULK], 1))).flat()
  if (!held) throw new Error('The job was not claimed.')
  const ended = { message: { text: 'Done.', blocks: [] }, state: 'done', at: new Date().toISOString() }
  await act.store.work.rewrite(held, 'one', { ...Object(held.body), ended })
  await act.store.work.release(id, 'one', { state: 'waiting', dueInMs: 60_000, isAnew: true })
  await expect(cancelChanges(parts, context, id)).rejects.toThrow('has ended already')
  expect(await act.store.work.find(WORKSPACE, id)).toMatchObject({ state: 'waiting' })
})
