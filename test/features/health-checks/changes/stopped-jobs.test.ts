import { expect, it } from 'vitest'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { applyBulk, planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { undoables } from '../../../../src/features/health-checks/changes/places.ts'
import { startChanges } from '../../../../src/features/health-checks/changes/start-changes.ts'
import { undoJob } from '../../../../src/features/health-checks/changes/undo.ts'
import { seeded } from '../../../random.ts'
import { processesOf, startShared } from './undo-model.ts'

/** A service with checks of which each mails two people, and a job that does this to all of them, added and started. */
async function startJob(count: number, what: 'edit' | 'clone', flags: Record<string, string>) {
  const shared = await startShared()
  const service = shared.controls.production
  for (let at = 0; at < count; at += 1)
    await service.addCheck({ name: `web-${at + 10}`, alerts: [['ann@example.com'], ['bob@example.com']] })
  const processes = processesOf(shared, { workspaceId: 'T1', random: seeded(1), deaths: { left: 0 } })
  const request = parseBulk(what, { words: ['web-*'], flags })
  const { digest } = await planBulk(shared.apiOf('production'), request)
  await processes.act('production', (parts, context) => applyBulk(parts, context, request, digest))
  return { shared, service, ...processes }
}

it('says and undoes each time what stands, stopped, undone, gone on with and undone again', async () => {
  const { shared, service, act, runJob } = await startJob(30, 'edit', { frequency: '30' })
  await using _ = shared
  const are = async (frequency: number) =>
    (await service.everyCheck()).filter((check) => check.frequency === frequency).length
  // Each of the first twenty is looked at and written; then it is stopped.
  const { id, text: stopped } = await runJob(25)
  expect(stopped).toContain('20 health checks changed.')
  expect(stopped).toContain('10 left.')
  const undo = () => act('production', (parts, context) => undoJob(parts, context, id, false))
  await undo()
  expect((await runJob()).text).toContain('20 health checks changed.')
  expect(await are(60)).toBe(30)
  await act('production', (parts, context) => startChanges(parts, context, id))
  expect((await runJob()).text).toContain('10 health checks are now checked every 30 s.')
  expect(await are(30)).toBe(10)
  await undo()
  expect((await runJob()).text).toContain('10 health checks changed.')
  expect(await are(60)).toBe(30)
  await expect(undo()).rejects.toThrow('There is nothing to undo')
})

it('offers in /hc undo what an undo that was stopped has left, until that is undone too', async () => {
  const { shared, act, runJob } = await startJob(30, 'edit', { frequency: '30' })
  await using _ = shared
  const person = { workspaceId: 'T1', userId: 'U1', now: new Date() }
  const offered = async () => (await undoables(shared.store.ephemeralState, person)).map(({ line }) => line)
  const { id } = await runJob()
  expect(await offered()).toEqual([`/hc job-undo ${id}`])
  await act('production', (parts, context) => undoJob(parts, context, id, false))
  const undo = await runJob(25)
  expect(undo.text).toContain('10 left.')
  expect(await offered()).toEqual([`/hc job-undo ${id}`])
  await act('production', (parts, context) => startChanges(parts, context, undo.id))
  await runJob()
  expect(await offered()).toEqual([])
})

it('undoes at the second press what was brought back since the first one was stopped', async () => {
  const { shared, service, act, runJob } = await startJob(30, 'edit', { frequency: '30' })
  await using _ = shared
  const { id } = await runJob()
  const undo = () => act('production', (parts, context) => undoJob(parts, context, id, false))
  await undo()
  expect((await runJob(25)).text).toContain('10 left.')
  const left = (await service.everyCheck()).find(({ frequency }) => frequency === 30)
  const [from, name] = [String(left?.uuid), String(left?.name)]
  await service.remove(from)
  const to = await service.addCheck({ name, frequency: 30 })
  await act('production', (parts, context) => parts.carryChecks(context, new Map([[from, to]])))
  await undo()
  expect((await runJob()).text).not.toContain('no longer there')
  expect((await service.everyCheck()).filter(({ frequency }) => frequency === 60)).toHaveLength(30)
})

it('says of copies that were begun how many are there, and which lack alerts, and undoes those too', async () => {
  const { shared, service, act, runJob } = await startJob(6, 'clone', { suffix: '-b' })
  await using _ = shared
  const path = '/healthcheck/v1/healthchecks/'
  // The copies are made, and none of their alerts.
  const fault = { method: 'POST', path, kind: 'status', status: 503 } as const
  await service.faults(fault)
  const { id, text } = await runJob(1)
  await service.faults()
  expect(await service.checksNamed('*-b')).toHaveLength(6)
  expect(text).not.toContain('Nothing was changed')
  expect(text).toContain('6 health checks were begun and are not whole yet')
  expect(text).toContain('6 left.')
  await act('production', (parts, context) => undoJob(parts, context, id, false))
  expect((await runJob()).text).toContain('6 health checks deleted.')
  expect(await service.checksNamed('*-b')).toEqual([])
  expect(await service.total()).toBe(6)
})

it('says of what an undo finds gone that it was gone, and of no values that it had', async () => {
  const { shared, service, act, runJob } = await startJob(2, 'clone', { suffix: '-b' })
  await using _ = shared
  const { id } = await runJob()
  const [copy] = await service.checksNamed('*-b')
  await service.remove(copy?.uuid ?? '')
  await act('production', (parts, context) => undoJob(parts, context, id, false))
  const { text } = await runJob()
  expect(text).toContain('1 health check deleted.\n1 health check was gone already.')
  expect(text).not.toContain('values')
})

it('makes what was begun whole when it is gone on with', async () => {
  const { shared, service, act, runJob } = await startJob(3, 'clone', { suffix: '-b' })
  await using _ = shared
  await service.faults({ method: 'POST', path: '/healthcheck/v1/healthchecks/', kind: 'status', status: 503 })
  const { id } = await runJob(1)
  await service.faults()
  await act('production', (parts, context) => startChanges(parts, context, id))
  expect((await runJob()).text).toContain('3 health checks are copied.')
  const copies = await service.checksNamed('*-b')
  for (const { uuid } of copies) expect(await service.alerts(uuid)).toHaveLength(2)
  expect(copies).toHaveLength(3)
})

it('names alerts that the service refuses, and counts the check as made', async () => {
  const { shared, service, runJob } = await startJob(1, 'clone', { suffix: '-b' })
  await using _ = shared
  const body = { errors: [{ message: 'Too many alerts.' }] }
  await service.faults({
    method: 'POST',
    path: '/healthcheck/v1/healthchecks/',
    kind: 'status',
    status: 400,
    body,
    times: 1,
  })
  const { text } = await runJob()
  expect(text).toContain('1 health check is copied.')
  expect(text).toContain('web-10-b: An alert that mails ann@example.com was refused: Too many alerts.')
})
