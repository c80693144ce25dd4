import type { Answer } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import type { Fault } from '../../../sandbox-control.ts'
import { startWorld, type World } from '../../../world.ts'
import { applyPreview, downloadFile, importFile } from '../files/csv-files.ts'

const CHECKS = '/healthcheck/v1/healthchecks'
const SAID = /Nothing was changed|Your change/
const PAIRS = [
  ['ann@example.com', 'bob@example.com'],
  ['ann@example.com', 'cy@example.com'],
]

interface Case {
  readonly change: (world: World, uuid: string) => Promise<Answer>
  /** The service does the first request, and this happens to the second one, or to the answer of the first one. */
  readonly fault: (uuid: string, alertIds: readonly string[]) => Fault
}
const removesAnn = (world: World) =>
  world.slack.member.command('/hc', 'recipients ann@example.com web --remove')
const importsRow = (world: World, uuid: string) =>
  importFile(world, `uuid,frequency,alerts\n${uuid},30,new@example.com\n`)
const CASES: Record<string, Case> = {
  'two alerts, and the second request is cut off': {
    change: removesAnn,
    fault: (uuid, [, id]) => ({
      ...{ method: 'PUT', path: `${CHECKS}/${uuid}/alerts/${id}` },
      ...{ kind: 'reset', times: 1 },
    }),
  },
  'two alerts, and the second request is refused': {
    change: removesAnn,
    fault: (uuid, [, id]) => ({
      ...{ method: 'PUT', path: `${CHECKS}/${uuid}/alerts/${id}` },
      ...{ kind: 'status', status: 422 },
    }),
  },
  'a setting and alerts, and the answer about the setting can’t be read': {
    change: importsRow,
    fault: (uuid) => ({
      ...{ method: 'PUT', path: `${CHECKS}/${uuid}` },
      ...{ kind: 'body', body: { message: 'OK' }, times: 1 },
    }),
  },
  'a setting and alerts, and the answer about the setting is lost': {
    change: importsRow,
    fault: (uuid) => ({ method: 'PUT', path: `${CHECKS}/${uuid}`, kind: 'drop-reply', times: 1 }),
  },
  'a setting and alerts, and the alerts are refused': {
    change: importsRow,
    fault: (uuid) => ({ method: 'PUT', path: `${CHECKS}/${uuid}/alerts`, kind: 'status', status: 400 }),
  },
}

const readState = async ({ service }: World, uuid: string) => ({
  check: await service.check(uuid),
  alerts: (await service.alerts(uuid)).map(({ recipients }) => recipients.toSorted()).toSorted(),
})

it.each(Object.entries(CASES))(
  'says “nothing was changed” only if nothing was, says so in the audit log, and sends the file that puts it back: %s',
  async (_, { change, fault }) => {
    await using world = await startWorld({ workTimes: { pollMs: 250, maxInFlightMs: 500 } })
    const { service, slack, app } = world
    const uuid = await service.addCheck({ name: 'web', alerts: PAIRS })
    const before = await readState(world, uuid)
    const preview = await change(world, uuid)
    const alertIds = (await service.alerts(uuid)).map(({ id }) => id)
    await service.faults(fault(uuid, alertIds))
    const { text = '' } = (await applyPreview(world, preview, 'Change 1')) ?? {}
    await service.faults()
    const after = await readState(world, uuid)
    const isChanged = JSON.stringify(after) !== JSON.stringify(before)
    expect(isChanged).toBe(true)
    expect(text).not.toContain('Nothing was changed')
    expect(text).toMatch(/partly done: |Changed 1 health check\./)
    const [row] = await app.store.audit.search({ workspaceId: 'T0PLAYGRND', limit: 1 })
    expect(row).toMatchObject({ outcome: 'done', object: `health-check ${uuid} (web)` })
    if (text.includes('partly done')) expect(row?.after).toMatchObject({ note: /./ })
    if ((await slack.member.views()).length > 0) await slack.member.close({ all: true })
    const undone = await importFile(world, (await downloadFile(world)).text)
    await applyPreview(world, undone, 'Change 1')
    expect(await readState(world, uuid)).toMatchObject({
      check: { frequency: before.check.frequency },
      alerts: before.alerts,
    })
  },
)

it.each<[line: string, typed: Record<string, string>, said: string, hasFile: boolean]>([
  ['edit web', { 'Time between checks': '90' }, 'Changed 1 health check.', true],
  [
    'create',
    { Name: 'new', Target: 'new.example.com', 'Customer ID': '1' },
    'Created 1 health check.',
    false,
  ],
])(
  '%s: says that it was done if the service can’t show it afterwards',
  async (line, typed, said, hasFile) => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      serviceLimits: { retry: { attempts: 1 } },
    })
    const { service, slack } = world
    await slack.member.command('/hc', line)
    const held: Fault = { method: line === 'create' ? 'POST' : 'PUT', path: CHECKS, kind: 'hold' }
    await service.faults(held)
    const submitted = slack.member.submit(typed, { until: SAID })
    await expect.poll(async () => (await service.requests(held.method)).length).toBe(1)
    await service.faults({ method: 'GET', path: CHECKS, kind: 'status', status: 503 })
    const { text } = await submitted
    expect(text).toContain(said)
    expect(text.includes('Go back…')).toBe(hasFile)
    if (hasFile) expect((await downloadFile(world)).text).toContain(',web,production,60')
  },
)
