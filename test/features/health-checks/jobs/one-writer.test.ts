import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { startWorld, type World, type WorldOptions } from '../../../world.ts'

/** More than one batch. */
const COUNT = 22
/** As in production, so that a batch writes for seconds while windows are submitted. */
const WORK_TIMES = { settleMs: 25_000 }
const SLOW_PUT = { method: 'PUT', path: '/healthcheck', kind: 'delay' } as const

const createSeeds = (alerts: CheckSeed['alerts'] = []): CheckSeed[] =>
  Array.from({ length: COUNT }, (_, index) => ({
    name: `web-${String(index + 1).padStart(2, '0')}`,
    target: `w${index}.example.com`,
    alerts,
  }))

const findUuid = async (world: World, name: string): Promise<string> =>
  (await world.service.checksNamed(name))[0]?.uuid ?? ''

const listRecipients = async (world: World, uuid: string): Promise<string[]> =>
  (await world.service.alerts(uuid)).flatMap(({ recipients }) => [...recipients]).toSorted()

const untilJobEnds = (person: World['slack']['member']) =>
  person.until('the end of the job', ({ messages }) => JSON.stringify(messages).includes('Requested:'))

const untilFirstWrite = (world: World) =>
  expect.poll(() => world.service.requests('PUT'), { timeout: 20_000 }).not.toEqual([])

describe.each(eitherOf(SHARED_DATABASES))('two writers of one health check, on $name', ({ start }) => {
  async function startOn(checks: readonly CheckSeed[], options: Partial<WorldOptions> = {}) {
    await using stack = new AsyncDisposableStack()
    const { url, keys } = stack.use(await start())
    const world = stack.use(
      await startWorld({
        checks,
        workTimes: WORK_TIMES,
        ...options,
        environment: { DATABASE_URL: url, ENCRYPTION_KEYS: keys },
      }),
    )
    const moved = stack.move()
    return { world, [Symbol.asyncDispose]: () => moved.disposeAsync() }
  }

  it.each(eitherOf([0, 100]))(
    'both have what they changed, if two bulk changes run at once, %i ms a request',
    async (ms) => {
      await using started = await startOn(createSeeds())
      const { world } = started
      const { member, admin } = world.slack
      const frequency = await member.command('/hc', 'edit web-* --frequency 45', { until: 'Nothing has' })
      const port = await admin.command('/hc', 'edit web-* --port 8443', { until: 'Nothing has' })
      if (ms > 0) await world.service.faults({ ...SLOW_PUT, ms })
      await Promise.all([
        member.click(frequency.message, `Set ${COUNT}`, { until: 'Started' }),
        admin.click(port.message, `Set ${COUNT}`, { until: 'Started' }),
      ])
      await Promise.all([untilJobEnds(member), untilJobEnds(admin)])
      const wrong = (await world.service.listAllChecks()).filter(
        (check) => Number(check.frequency) !== 45 || Number(check.port) !== 8443,
      )
      expect(wrong).toEqual([])
    },
  )

  it('both have what they changed, if an import runs beside a bulk change', async () => {
    await using started = await startOn(createSeeds())
    const { world } = started
    const { member, admin } = world.slack
    const bulk = await admin.command('/hc', 'edit web-* --frequency 45', { until: 'Nothing has' })
    const rows = createSeeds().map(({ name }) => `${name},8443\n`)
    const { id } = await member.upload('ports.csv', `name,port\n${rows.join('')}`, 'text/csv')
    await member.command('/hc', 'import')
    const { view } = await member.submit({ 'CSV file': [id] }, { until: 'Nothing has changed yet' })
    await Promise.all([
      admin.click(bulk.message, `Set ${COUNT}`, { until: 'Started' }),
      member.click(view, `Change ${COUNT}`, { until: 'Started' }),
    ])
    await untilJobEnds(admin)
    await member.until('the end of the import', ({ messages }) =>
      JSON.stringify(messages).includes('Imported'),
    )
    const wrong = (await world.service.listAllChecks()).filter(
      (check) => Number(check.frequency) !== 45 || Number(check.port) !== 8443,
    )
    expect(wrong).toEqual([])
  })

  it('both have what they changed, if an edit window is saved while a bulk change passes its check', async () => {
    await using started = await startOn(createSeeds())
    const { world } = started
    const { member, admin } = world.slack
    const bulk = await member.command('/hc', 'edit web-* --frequency 45', { until: 'Nothing has' })
    await admin.command('/hc', 'edit web-20')
    await world.service.faults({ ...SLOW_PUT, ms: 400 })
    await member.click(bulk.message, `Set ${COUNT}`, { until: 'Started' })
    await untilFirstWrite(world)
    const saved = await admin.submit({ Port: '9443' }, { until: /Saved|Nothing was/ })
    await untilJobEnds(member)
    expect(saved.text).toContain('Saved')
    const { port, frequency } = await world.service.check(await findUuid(world, 'web-20'))
    expect([Number(port), Number(frequency)]).toEqual([9443, 45])
  })

  it('mail whom they say, if an alert is edited while a bulk change replaces its recipient', async () => {
    await using started = await startOn(createSeeds([['ann@example.com']]))
    const { world } = started
    const { member, admin } = world.slack
    const line = 'recipients ann@example.com --replace-with bob@example.com'
    const bulk = await member.command('/hc', line, { until: 'Nothing has' })
    const uuid = await findUuid(world, 'web-20')
    const [alert] = await world.service.alerts(uuid)
    await admin.command('/hc', `alert-edit ${uuid} ${alert?.id}`)
    await world.service.faults({ ...SLOW_PUT, ms: 400 })
    await member.click(bulk.message, `Change ${COUNT}`, { until: 'Started' })
    await untilFirstWrite(world)
    const answers = { 'Email addresses': 'ann@example.com\noncall@example.com' }
    const { text } = await admin.submit(answers, { until: /This check’s alerts|Nothing was/ })
    await untilJobEnds(member)
    const mailed = await listRecipients(world, uuid)
    if (text.includes('Nothing was')) expect(mailed).toEqual(['bob@example.com'])
    else expect(mailed).toContain('oncall@example.com')
  })

  it('tell one of two people that their alert wasn’t saved, if both change the same one', async () => {
    await using started = await startOn([{ name: 'web', alerts: [['ann@example.com']] }])
    const { world } = started
    const { member, admin } = world.slack
    const uuid = await findUuid(world, 'web')
    const [alert] = await world.service.alerts(uuid)
    await member.command('/hc', `alert-edit ${uuid} ${alert?.id}`)
    await admin.command('/hc', `alert-edit ${uuid} ${alert?.id}`)
    await world.service.faults({ ...SLOW_PUT, ms: 300 })
    const until = { until: /This check’s alerts|Nothing was/ }
    const outcomes = await Promise.all([
      member.submit({ 'Email addresses': 'ann@example.com\nbob@example.com' }, until),
      admin.submit({ 'Email addresses': 'ann@example.com\ncat@example.com' }, until),
    ])
    const saved = outcomes.map(({ text }) => !text.includes('Nothing was'))
    expect(saved.filter(Boolean)).toHaveLength(1)
    expect(await listRecipients(world, uuid)).toEqual([
      'ann@example.com',
      saved[0] ? 'bob@example.com' : 'cat@example.com',
    ])
  })

  it('both have what they changed, if two edit windows are saved at once, and each can be undone', async () => {
    await using started = await startOn([{ name: 'web', target: 'w.example.com', port: 443 }])
    const { world } = started
    const { member, admin } = world.slack
    const uuid = await findUuid(world, 'web')
    await member.command('/hc', 'edit web')
    await admin.command('/hc', 'edit web')
    await world.service.faults({ ...SLOW_PUT, ms: 300 })
    const [first] = await Promise.all([
      member.submit({ 'Seconds between checks': '77' }, { until: /Saved|Nothing was/ }),
      admin.submit({ Port: '8443' }, { until: /Saved|Nothing was/ }),
    ])
    const readCheck = async () => {
      const { port, frequency } = await world.service.check(uuid)
      return [Number(port), Number(frequency)]
    }
    expect(await readCheck()).toEqual([8443, 77])
    await world.service.faults()
    await member.click(first.view, 'Undo', { until: 'Started' })
    await member.until('the undo', ({ messages }) => JSON.stringify(messages).includes('Undone: Edit “web”'))
    expect(await readCheck()).toEqual([8443, 60])
  })

  it('both have what they changed, if the first one’s request arrives after it was given up', async () => {
    await using started = await startOn([{ name: 'web', target: 'w.example.com', port: 443 }], {
      workTimes: { settleMs: 4000 },
      serviceLimits: { timeouts: { headersMs: 200, totalMs: 200 }, retry: { attempts: 1 } },
    })
    const { world } = started
    const { member, admin } = world.slack
    const uuid = await findUuid(world, 'web')
    await member.command('/hc', 'edit web')
    await admin.command('/hc', 'edit web')
    await world.service.faults({ ...SLOW_PUT, ms: 1500, times: 1 })
    const first = member.submit({ 'Seconds between checks': '77' }, { until: /Saved|Nothing was/ })
    await untilFirstWrite(world)
    const second = await admin.submit({ Port: '8443' }, { until: /Saved|Nothing was/ })
    expect([(await first).text, second.text]).toEqual([
      expect.stringContaining('Saved'),
      expect.stringContaining('Saved'),
    ])
    const { port, frequency } = await world.service.check(uuid)
    expect([Number(port), Number(frequency)]).toEqual([8443, 77])
  })

  it('say after ten seconds that nothing was changed, if the other one isn’t done, and change nothing later', async () => {
    await using started = await startOn([{ name: 'web' }])
    const { world } = started
    const { member } = world.slack
    const { workSteps, work } = world.app.store
    const uuid = await findUuid(world, 'web')
    // Someone else's work, also from another workspace that uses the account.
    const { work: other } = await work.begin({ workspaceId: 'T0OTHER', kind: 'act', key: 'other' }, 'other')
    const holder = { workId: other.id, owner: 'other', settleMs: WORK_TIMES.settleMs }
    const key = `check ${world.sandbox.productionUrl} ${uuid}`
    const holds = await workSteps.takeHolds(holder, [key])
    expect(holds.size).toBe(1)
    await member.command('/hc', 'edit web')
    const { text } = await member.submit({ Port: '8443' }, { until: /Saved|Nothing was/ })
    expect(text).toContain('Another change to this health check is still running. Try again in a minute.')
    expect(text).toContain('Nothing was changed.')
    await workSteps.releaseHolds([...holds.values()])
    await sleep(500)
    expect(await world.service.requests('PUT')).toEqual([])
  })
})
