import { expect, it } from 'vitest'
import { startAct, WORKSPACE } from '../../features/health-checks/resumed-act.ts'

it('reruns a stopped job even if the person hasn’t been notified yet that it stopped', async () => {
  await using act = await startAct()
  const { work } = act.store
  const { context, deps } = await act.resume()
  const id = await deps.queue.add(context, { kind: 'bulk', details: 'the request' })
  const [claimed] = await work.claimDue('one', ['bulk'], 1)
  if (!claimed) throw new Error('The job was not claimed.')
  const ended = {
    message: { text: 'It stopped.', blocks: [] },
    state: 'stopped',
    at: '2026-01-01T00:00:00.000Z',
  }
  await work.replaceBody(claimed, 'another', { gone: true })
  await work.replaceBody(claimed, 'one', { ...Object(claimed.body), ended })
  expect((await work.find(WORKSPACE, id))?.body).toMatchObject({ details: 'the request', ended })
  await work.release(id, 'one', { state: 'stopped' })
  const stopped = await deps.queue.find(context, ['bulk'], id)
  if (!stopped) throw new Error('The job is gone.')
  expect(await deps.queue.start(context, stopped)).toBe('started')
  const started = await work.find(WORKSPACE, id)
  expect(started).toMatchObject({ state: 'waiting', body: { details: 'the request' } })
  expect(started?.body).not.toHaveProperty('ended')
})

it('starts the next job even if the result of the previous one hasn’t been shown yet', async () => {
  await using act = await startAct()
  const { work } = act.store
  const { context, deps } = await act.resume()
  const job = { kind: 'bulk', details: 'the request' }
  const first = await deps.queue.add(context, job)
  const next = await deps.queue.find(
    context,
    ['bulk'],
    await deps.queue.add(context, { ...job, isPrepared: true }),
  )
  if (!next) throw new Error('The job is gone.')
  expect(await deps.queue.addUnlessOpen(context, job)).toMatchObject({ id: first })
  const [claimed] = await work.claimDue('one', ['bulk'], 1)
  if (!claimed) throw new Error('The job was not claimed.')
  await work.replaceBody(claimed, 'one', { ...Object(claimed.body), ended: { state: 'done' } })
  await work.release(first, 'one', { state: 'waiting', dueInMs: 60_000 })
  expect(await deps.queue.listOpen(context, ['bulk'])).toEqual([])
  expect(await deps.queue.start(context, next)).toBe('started')
  await deps.queue.stop(context, next)
  expect(await deps.queue.addUnlessOpen(context, job)).toBeUndefined()
})
