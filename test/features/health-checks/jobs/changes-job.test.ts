import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../../src/domain/roles.ts'
import type { Fault } from '../../../sandbox-control.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

/** A job applies its changes in batches of 20. */
const MORE_THAN_A_BATCH = 21

/** Sets the frequency of all checks. Requests for the details of the first `faultyCount` checks fail. */
async function changeAll(world: World, faultyCount: number, fault: Pick<Fault, 'kind' | 'status' | 'body'>) {
  const { member } = world.slack
  const checks = await world.service.checksNamed('*')
  const preview = await member.command('/hc', 'edit web-* --frequency 30')
  const details = checks.slice(0, faultyCount).map(({ uuid }) => `/healthcheck/v1/healthchecks/${uuid}`)
  await world.service.faults(...details.map((path) => ({ method: 'GET', path, ...fault })))
  await member.click(preview.message, `Set ${checks.length}`, { until: 'Started.' })
}

async function waitForDm({ slack: { member } }: World, expected: string): Promise<string> {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))?.text ?? ''
}

const createChecks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `web-${String(index).padStart(2, '0')}` }))

describe('a check that can’t be read', () => {
  it('doesn’t block changes to other checks, and is changed as soon as it can be read', async () => {
    await using world = await startWorld({
      checks: createChecks(MORE_THAN_A_BATCH + 5),
      serviceLimits: { retry: { attempts: 1 } },
    })
    await changeAll(world, MORE_THAN_A_BATCH, { kind: 'status', status: 500 })
    await expect.poll(async () => (await world.service.requests('PUT')).length).toBe(5)
    await world.service.faults()
    expect(await waitForDm(world, 'Requested:')).toContain(
      `${MORE_THAN_A_BATCH + 5} health checks are now checked every`,
    )
  })

  it('is reported as refused if its details can’t be parsed', async () => {
    await using world = await startWorld({ checks: createChecks(3) })
    await changeAll(world, 1, { kind: 'body', body: { data: { name: 'no uuid' } } })
    const text = await waitForDm(world, 'Requested:')
    expect(text).toContain('2 of 3 done, 1 refused by the service.')
    expect(text).toContain('web-00: Refused. Signalman couldn’t understand the service’s response.')
  })
})

/** Starts a change of two checks. The service rejects the token on the second one. */
async function changeTwo(world: World) {
  const { service, slack } = world
  const [, second] = await service.checksNamed('web-*')
  const path = `/healthcheck/v1/healthchecks/${second?.uuid}`
  await service.faults({ method: 'PUT', path, kind: 'status', status: 401, times: 9 })
  const preview = await slack.member.command('/hc', 'edit web-* --frequency 30')
  await slack.member.click(preview.message, 'Set 2', { until: 'Started.' })
}

async function readFrequencies({ service }: World): Promise<number[]> {
  const checks = await service.checksNamed('web-*')
  const all = await Promise.all(checks.map(({ uuid }) => service.check(uuid)))
  return all.map(({ frequency }) => Number(frequency))
}

const findLastMessage = async ({ slack: { member } }: World, expected: string) =>
  (await member.messages('dm')).findLast(({ text }) => text.includes(expected))

describe('a job that ends with an error', () => {
  it('shows how far it got, can be continued, and can then be undone', async () => {
    await using world = await startWorld({ checks: createChecks(2) })
    const { member } = world.slack
    await changeTwo(world)
    const text = await waitForDm(world, 'Ended early')
    expect(text).toContain('Ended early: changed 1 of 2 health checks.')
    expect(text).toContain('1 of 2 done, 1 not started.')
    await world.service.faults()
    await member.click(await findLastMessage(world, 'Ended early'), 'Continue', { until: 'Started.' })
    await waitForDm(world, '2 health checks are now checked every 30 s.')
    expect(await readFrequencies(world)).toEqual([30, 30])
    await member.click(await findLastMessage(world, '2 health checks are'), 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Undone: Set frequency')
    expect(await readFrequencies(world)).toEqual([60, 60])
  })

  it('can be undone with /hc undo once its owner has the role again', async () => {
    await using world = await startWorld({ checks: createChecks(2) })
    const { member } = world.slack
    await changeTwo(world)
    await waitForDm(world, 'Ended early')
    for (const role of ['operator', 'admin'] as const)
      await world.app.store.grants.remove(WORKSPACE, role, EVERYONE)
    const job = await findLastMessage(world, 'Ended early')
    await member.click(job, 'Continue', { until: 'needs the operator role' })
    await world.app.store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
    const offer = await member.command('/hc', 'undo', { until: 'Undo your last change that can be undone?' })
    await member.click(offer.message, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Undone: Set frequency')
    expect(await readFrequencies(world)).toEqual([60, 60])
  })

  it('audits a change as unknown if its response was lost, until Continue finds out the outcome', async () => {
    await using world = await startWorld({
      checks: createChecks(2),
      serviceLimits: { retry: { attempts: 1 } },
      workTimes: { settleMs: 2000 },
    })
    const { service, slack, app } = world
    const { member } = slack
    const [, second] = await service.checksNamed('web-*')
    const path = `/healthcheck/v1/healthchecks/${second?.uuid}`
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await service.faults({ method: 'PUT', path, kind: 'drop-reply', times: 1 })
    await member.click(preview.message, 'Set 2', { until: 'Started.' })
    await expect.poll(async () => (await service.requests('PUT')).length).toBe(2)
    await service.faults({ method: 'GET', path, kind: 'status', status: 401, times: 99 })
    expect(await waitForDm(world, 'Ended early')).toContain('1 of 2 done, 1 unclear')
    const readAuditRows = async () => {
      const found = await app.store.audit.search({ workspaceId: WORKSPACE, limit: 20, verb: '/hc edit' })
      return found
        .map(({ object, outcome }) => `${object} ${outcome}`)
        .filter((row) => row.includes('web-01'))
    }
    expect(await readAuditRows()).toEqual([expect.stringMatching(/web-01.* unknown$/)])
    // Nothing that the job sent is still running, so others don't wait for the check.
    const { work: other } = await app.store.work.begin({ workspaceId: 'T0OTHER', kind: 'act', key: 'o' }, 'o')
    const holder = { workId: other.id, owner: 'o', settleMs: 2000 }
    const key = `check ${world.sandbox.productionUrl} ${second?.uuid}`
    const holds = await app.store.workSteps.takeHolds(holder, [key])
    expect([...holds.keys()]).toEqual([key])
    await app.store.workSteps.releaseHolds([...holds.values()])
    await service.faults()
    await member.click(await findLastMessage(world, 'Ended early'), 'Continue', { until: 'Started.' })
    await waitForDm(world, '2 health checks are now checked every 30 s.')
    expect(await readAuditRows()).toEqual([
      expect.stringMatching(/web-01.* done$/),
      expect.stringMatching(/web-01.* unknown$/),
    ])
  })
})

describe('a check of which only a part was done', () => {
  const ALERTS = [['ann@example.com'], ['bob@example.com']]
  /** The service creates the copies, but rejects the token for their alerts. */
  async function copyInPart(world: World, status: number) {
    const { member } = world.slack
    const preview = await member.command('/hc', 'clone web-* --suffix -b')
    const path = '/healthcheck/v1/healthchecks/'
    await world.service.faults({
      method: 'POST',
      path,
      kind: 'status',
      status,
      body: { errors: [{ message: 'No.' }] },
    })
    await member.click(preview.message, 'Copy 2', { until: 'Started.' })
  }
  const startTwo = () =>
    startWorld({ checks: createChecks(2).map((check) => ({ ...check, alerts: ALERTS })) })
  const listCopies = async ({ service }: World) =>
    Promise.all(
      (await service.checksNamed('web-*-b')).map(async ({ name, uuid }) => ({
        name,
        alerts: await service.alerts(uuid),
      })),
    )

  it('isn’t called done, says what is missing, and Continue does only that', async () => {
    await using world = await startTwo()
    const { member } = world.slack
    await copyInPart(world, 401)
    const text = await waitForDm(world, '2 partly done')
    expect(text).toContain('Copied 0 of 2 health checks.')
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 20 })
    const copies = rows.filter((row) => JSON.stringify(row).includes('web-00-b'))
    expect(copies.map(({ outcome }) => outcome)).toEqual(['done'])
    expect(text).toContain('The service doesn’t accept the token.')
    expect(text).toContain(
      'web-00-b: Partly done. Not done: an alert for ann@example.com, an alert for bob@example.com.',
    )
    await world.service.faults()
    await member.click(await findLastMessage(world, '2 partly done'), 'Continue', { until: 'Started.' })
    const done = await waitForDm(world, 'Copied 2 health checks.')
    expect(done).not.toContain('Partly done')
    const recipients = ALERTS.map(([address]) => ({ recipients: [address] }))
    expect(await listCopies(world)).toMatchObject([
      { name: 'web-00-b', alerts: recipients },
      { name: 'web-01-b', alerts: recipients },
    ])
  })

  it('isn’t finished by Continue if someone has changed it since', async () => {
    await using world = await startTwo()
    const { member } = world.slack
    await copyInPart(world, 401)
    await waitForDm(world, '2 partly done')
    await world.service.faults()
    const [copy] = await world.service.checksNamed('web-00-b')
    await world.service.addAlert(copy?.uuid ?? '', ['cat@example.com'])
    await member.click(await findLastMessage(world, '2 partly done'), 'Continue', { until: 'Started.' })
    const text = await waitForDm(world, '1 of 2 done, 1 partly done')
    expect(text).toContain('web-00-b: Partly done. Someone has changed it since.')
    expect((await listCopies(world)).map(({ alerts }) => alerts.length)).toEqual([1, 2])
    await member.click(await findLastMessage(world, '1 partly done'), 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    // The undo deletes only what it knows.
    expect((await listCopies(world)).map(({ name }) => name)).toEqual(['web-00-b'])
  })

  it('says why the service refused the rest, and can be undone', async () => {
    await using world = await startTwo()
    const { member } = world.slack
    await copyInPart(world, 400)
    const text = await waitForDm(world, '2 partly done')
    expect(text).toContain('The service refused it: No.')
    await member.click(await findLastMessage(world, '2 partly done'), 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Undone: Copy')
    expect(await listCopies(world)).toEqual([])
  })
  it('is undone even if its outcome was unknown when the job ended', async () => {
    await using world = await startWorld({
      checks: createChecks(2).map((check) => ({ ...check, alerts: ALERTS })),
      serviceLimits: { retry: { attempts: 1 } },
      workTimes: { settleMs: 2000 },
    })
    const { service, slack } = world
    const { member } = slack
    const path = '/healthcheck/v1/healthchecks/'
    const preview = await member.command('/hc', 'clone web-* --suffix -b')
    await service.faults({ method: 'POST', path, kind: 'drop-reply', times: 1 })
    await member.click(preview.message, 'Copy 2', { until: 'Started.' })
    const countAlertsSent = async () =>
      (await service.requests('POST')).filter(({ path: sent }) => sent.includes('alert')).length
    // One copy has both alerts, the other one has one, whose reply was lost.
    await expect.poll(countAlertsSent).toBe(3)
    await service.faults({ method: 'GET', path, kind: 'status', status: 401, times: 99 })
    expect(await waitForDm(world, 'Ended early')).toContain('1 of 2 done, 1 unclear')
    await service.faults()
    await member.click(await findLastMessage(world, 'Ended early'), 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Undone: Copy')
    expect(await listCopies(world)).toEqual([])
  })
})
