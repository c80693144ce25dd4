import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../databases/databases.ts'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'
import { writeFromOutside } from '../../../write-from-outside.ts'

const FLEET: CheckSeed[] = Array.from({ length: 12 }, (_, index) => ({
  name: `web-${String(index + 1).padStart(2, '0')}`,
  target: `www${index + 1}.example.com`,
  alerts: [['ann@example.com', 'bob@example.com']],
}))
const MAIL: CheckSeed = { name: 'mail', protocol: 'TCP', target: 'mx.example.com', port: 25 }

/** Waits for the last message to the member with this text. */
async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

/** Every check with its alerts, without values that the service generates. */
async function readChecks({ service }: World) {
  const found = await service.checksNamed('*')
  const checks = await Promise.all(
    found.map(async ({ uuid }) => {
      const { name, protocol, target, port, frequency, customer_id, http_server_address, verify_ssl } =
        await service.check(uuid)
      const alerts = (await service.alerts(uuid)).map(({ recipients }) => recipients)
      return { name, protocol, target, port, frequency, customer_id, http_server_address, verify_ssl, alerts }
    }),
  )
  return checks.sort((first, second) => String(first.name).localeCompare(String(second.name)))
}

/** Types the command, presses its button, and undoes the change. Returns the messages and the checks at each stage. */
async function runAndUndo(world: World, line: string, button: string) {
  const { member } = world.slack
  const before = await readChecks(world)
  const preview = await member.command('/hc', line)
  expect(preview.text).toContain('Nothing has changed yet.')
  expect(await readChecks(world)).toEqual(before)
  await member.click(preview.message, button, { until: 'Started.' })
  const report = await waitForDm(world, 'Requested:')
  const after = await readChecks(world)
  await member.click(report, 'Undo', { until: 'Started.' })
  const undone = await waitForDm(world, 'Requested: Undo')
  return { before, preview, done: report, after, undone, restored: await readChecks(world) }
}

describe('a bulk change of health checks', () => {
  it('edits the matching checks, and undoes the whole edit', async () => {
    await using world = await startWorld({ checks: [...FLEET, MAIL] })
    const { before, preview, done, after, restored } = await runAndUndo(
      world,
      'edit web-* --frequency 30 --verify-ssl no',
      'Set 12',
    )
    expect(preview.text).toContain(
      'Set frequency to 30 s, SSL verification to no for 12 “web-*” health checks?',
    )
    expect(preview.message?.text).toContain(
      'web-01, web-02, web-03, web-04, web-05, web-06, web-07, web-08, web-09, web-10, web-11, web-12 · every 60 s, SSL verification yes → 30 s, SSL verification no',
    )
    expect(done?.text).toMatch(
      /^12 health checks are changed: frequency to 30 s, SSL verification to no\.\nIt can be undone for a week\.\n/,
    )
    expect(after.filter(({ frequency }) => frequency === '30')).toHaveLength(12)
    expect(after.find(({ name }) => name === 'mail')).toEqual(before.find(({ name }) => name === 'mail'))
    expect(restored).toEqual(before)
    const { audit } = world.app.store
    const rows = await audit.search({ workspaceId: WORKSPACE, verb: '/hc edit', limit: 50 })
    expect(rows).toHaveLength(12)
    expect(new Set(rows.map(({ reference }) => reference)).size).toBe(1)
    expect(rows[0]).toMatchObject({
      outcome: 'done',
      before: { frequency: 60, verifySsl: true },
      after: { frequency: 30, verifySsl: false },
    })
  })

  it('deletes the matching checks, and an undo restores them with their alerts', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 3), MAIL] })
    const { before, after, restored } = await runAndUndo(world, 'delete web-*', 'Delete 3')
    expect(after.map(({ name }) => name)).toEqual(['mail'])
    expect(restored).toEqual(before)
  })

  it('copies the matching checks with their alerts, and an undo deletes the copies', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 3) })
    const { before, after, restored } = await runAndUndo(world, 'clone web-* --suffix -b', 'Copy 3')
    expect(after.map(({ name }) => name)).toEqual([
      'web-01',
      'web-01-b',
      'web-02',
      'web-02-b',
      'web-03',
      'web-03-b',
    ])
    expect(after[1]).toEqual({ ...after[0], name: 'web-01-b' })
    expect(restored).toEqual(before)
  })

  it('can add and remove recipients in a modal', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 3), MAIL] })
    const { member } = world.slack
    const before = await readChecks(world)
    await member.command('/hc', 'bulk')
    await member.choose(await member.view(), 'What to do', 'Add or remove recipients', {
      until: ({ view }) => JSON.stringify(view).includes('Remove these addresses'),
    })
    const preview = await member.submit(
      {
        Names: 'web-01\nmail',
        'Add these addresses': 'cat@example.com',
        'Remove these addresses': 'ann@example.com',
      },
      { until: 'Change who gets emails about' },
    )
    expect(preview.text).toContain(
      'Change who gets emails about 2 health checks: add cat@example.com; remove ann@example.com?',
    )
    await member.click(preview.view, 'Change 2', { until: 'Started.' })
    const report = await waitForDm(world, 'Requested:')
    const readAlerts = async (name: string) =>
      (await readChecks(world)).find((check) => check.name === name)?.alerts
    expect(await readAlerts('web-01')).toEqual([['bob@example.com', 'cat@example.com']])
    expect(await readAlerts('mail')).toEqual([['cat@example.com']])
    expect(await readAlerts('web-02')).toEqual([['ann@example.com', 'bob@example.com']])
    await member.click(report, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    expect(await readChecks(world)).toEqual(before)
  })

  it('says where the progress is, even if that is the same conversation', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 2) })
    const { member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    const started = await member.click(preview.message, 'Set 2', { until: 'Started.' })
    expect(started.text).toContain('Follow the progress in our DM.')
    const undo = await member.click(await waitForDm(world, 'Requested:'), 'Undo', { until: 'Started.' })
    expect(undo.text).toContain('Follow the progress in a separate message.')
    await waitForDm(world, 'Requested: Undo')
  })

  it('is undone except for checks that others have changed since', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 2) })
    const { member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await member.click(preview.message, 'Set 2', { until: 'Started.' })
    const report = await waitForDm(world, 'Requested:')
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web-01')
    await world.service.change(uuid, { name: 'web-01', target: 'www1.example.com', frequency: 45 })
    await member.click(report, 'Undo', { until: 'Started.' })
    const undone = await waitForDm(world, 'Requested: Undo')
    expect(undone?.text).toContain('Undone 1 of 2 changes')
    expect(undone?.text).toContain('web-01: Skipped. Its frequency is now 45 s, not 30 s.')
    expect(await world.service.check(uuid)).toMatchObject({ frequency: '45' })
  })
})

describe('a preview of a bulk change', () => {
  const share = shareWorld()

  it('isn’t shown again if nothing matches anymore', async () => {
    const world = await share(...FLEET.slice(0, 2))
    const { member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    for (const { uuid } of await world.service.checksNamed('web-*')) await world.service.remove(uuid)
    const { text } = await member.click(preview.message, 'Set 2', { until: 'so nothing was started.' })
    expect(text).toContain('Nothing to do: no health check matches.')
    expect(text).not.toContain('would do now')
  })

  it('is shown again if different checks match by the time the button is pressed', async () => {
    const world = await share(...FLEET.slice(0, 2))
    const { member } = world.slack
    const preview = await member.command('/hc', 'delete web-*')
    await world.service.addCheck({ name: 'web-99' })
    const again = await member.click(preview.message, 'Delete 2', {
      until: 'The health checks have changed since this preview',
    })
    expect(again.text).toContain('Delete 3 “web-*” health checks, with their alerts?')
    expect(await world.service.countChecks()).toBe(3)
  })

  it.each([
    { line: 'delete --status INSTALLING', button: 'Delete 1', shown: 'prod-db' },
    {
      line: 'edit --frequency 30 --status INSTALLING',
      button: 'Set 1',
      shown: 'every 45 s',
    },
    { line: 'clone --suffix -b --status INSTALLING', button: 'Copy 1', shown: 'prod-db-b' },
  ])(
    'is shown again for "$line" if a check was replaced in the meantime',
    async ({ line, button, shown }) => {
      const world = await share(...FLEET.slice(0, 1))
      const { member } = world.slack
      const preview = await member.command('/hc', line)
      const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web-01')
      await world.service.change(uuid, { name: 'prod-db', frequency: 45 })
      await world.service.clearRequests()
      const again = await member.click(preview.message, button, {
        until: 'The health checks have changed since this preview',
      })
      expect(again.text).toContain(shown)
      expect((await world.service.requests()).filter(({ method }) => method !== 'GET')).toEqual([])
    },
  )

  it('is shown again if the alerts to copy have changed', async () => {
    const world = await share(...FLEET.slice(0, 1))
    const { member } = world.slack
    const preview = await member.command('/hc', 'clone web-* --suffix -b')
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web-01')
    await world.service.addAlert(uuid, ['dan@example.com'])
    await member.click(preview.message, 'Copy 1', {
      until: 'The health checks have changed since this preview',
    })
    expect(await world.service.countChecks()).toBe(1)
  })

  it.each([
    { line: 'edit --frequency 30', expected: 'Which health checks?' },
    { line: 'edit web-* --frequency soon', expected: '--frequency must be a whole number' },
    {
      line: 'edit web-* --server-address x',
      expected: '--server-address must be an IPv4 or IPv6 address, or',
    },
    { line: 'edit nothing-* --port 80', expected: 'Nothing to do: no health check matches.' },
  ])('isn’t shown, and nothing is changed, for "$line": $expected', async ({ line, expected }) => {
    const world = await share(...FLEET.slice(0, 1))
    expect((await world.slack.member.command('/hc', line)).text).toContain(expected)
    expect(await world.service.requests('PUT')).toEqual([])
  })
})

it('reports a change that can’t be decrypted, and makes the others', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  await using world = await startWorld({
    checks: FLEET.slice(0, 3),
    environment: { DATABASE_URL: `sqlite:${file}` },
  })
  const { member } = world.slack
  const fault = { method: 'PUT', path: '/healthcheck', kind: 'status', status: 401 } as const
  await world.service.faults(fault)
  const preview = await member.command('/hc', 'edit web-* --frequency 30')
  await member.click(preview.message, 'Set 3', { until: 'Started.' })
  const stopped = await waitForDm(world, 'Ended early:')
  expect(stopped?.text).toContain('0 of 3 done, 3 not started.')
  using database = new DatabaseSync(file)
  const state = database.prepare("select state from work where kind = 'health-checks.changes'")
  // The message is sent before the state is stored.
  await expect.poll(() => state.get()?.state).toBe('stopped')
  await writeFromOutside(
    database,
    "update work_step set sealed_body = 'v1.a.AAAA' where line = 2 and sealed_body is not null",
  )
  await world.service.faults()
  await member.click(stopped, 'Continue')
  const report = await waitForDm(world, '2 of 3 done, 1 not started.')
  expect(report?.text).toContain('1 can’t be decrypted')
})

it('counts the checks that it doesn’t name, however long the names are', async () => {
  const names = ['a', 'b', 'c'].map((name) => `${name} ${'long '.repeat(30)}name`)
  await using world = await startWorld({ checks: names.map((name) => ({ name })) })
  const { text } = await world.slack.member.command('/hc', 'edit * --frequency 30')
  expect(text).toMatch(/^a long .*… and 2 more\n · every 60 s → 30 s$/m)
})

describe('unknown server addresses', () => {
  it('are asked about once, and the answer is kept until the check changes', async () => {
    const checks = FLEET.slice(0, 4).map((check) => ({ ...check, http_server_address: '192.0.2.7' }))
    await using world = await startWorld({ checks: [...checks, MAIL], addresses: 'none' })
    const { member } = world.slack
    // It can be canceled like any other preview.
    const unwanted = await member.command('/hc', 'edit * --frequency 30')
    await member.click(unwanted.message, 'Cancel', { until: 'Canceled.' })
    const question = await member.command('/hc', 'edit * --frequency 30')
    expect(question.text).toContain('Set 1 of 5 health checks to every 30 s?')
    expect(question.text).toContain(
      '4 need one answer: was their server address set by hand, or does it come from DNS?',
    )
    expect(question.text).toContain('The operator can settle this for good with API_SERVER_ADDRESSES')
    const answered = await member.click(question.message, 'It was set by hand', { until: 'Set 5' })
    expect(answered.text).toContain('server address 192.0.2.7')
    await member.command('/hc', 'bulk-cancel')
    const again = await member.command('/hc', 'edit * --frequency 20')
    expect(again.text).toContain('Set 5 health checks to every 20 s?')
    expect(again.text).toContain('server address 192.0.2.7')
    await member.click(again.message, 'Set 5', { until: 'Started.' })
    await waitForDm(world, 'Requested:')
    const after = (await readChecks(world)).filter(({ protocol }) => protocol !== 'TCP')
    expect(after.map(({ http_server_address }) => http_server_address)).toEqual(Array(4).fill('192.0.2.7'))

    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web-01')
    await world.service.change(uuid, { name: 'web-01', target: 'www1.example.com', frequency: 77 })
    const third = await member.command('/hc', 'edit * --frequency 45')
    expect(third.text).toContain('1 needs one answer: was its server address set by hand')
    expect(third.text).toContain('Set 4 of 5 health checks to every 45 s?')
  })

  it('can be answered for one check after another', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 4), MAIL], addresses: 'none' })
    const { member } = world.slack
    const question = await member.command('/hc', 'edit * --frequency 30')
    const one = await member.choose(question.message, 'Ask per check…', 'web-02', {
      until: '1 health check needs an answer first.',
    })
    const answered = await member.click(one.message, 'It comes from DNS', { until: 'Set 1' })
    expect(answered.text).toContain('web-02')
    const again = await member.command('/hc', 'edit * --frequency 30')
    expect(again.text).toContain('Set 2 of 5 health checks to every 30 s?')
    expect(again.text).toContain('3 need one answer')
  })

  it('keeps no answer for checks that the preview didn’t ask about', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 4), addresses: 'none' })
    const { member } = world.slack
    const question = await member.command('/hc', 'edit * --frequency 30')
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web-01')
    await world.service.change(uuid, { name: 'web-01', http_server_address: '192.0.2.9' })
    const answered = await member.click(question.message, 'It comes from DNS', { until: 'wasn’t kept' })
    expect(answered.text).toContain('4 health checks need an answer first.')
    expect(answered.text).toContain('Nothing has changed yet.')
    expect(answered.text).toContain('Was their server address set by hand, or does it come from DNS?')
  })
})

describe('/hc undo', () => {
  it('asks to confirm undoing your latest change, and then the one before it', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 3), MAIL] })
    const { member, admin } = world.slack
    const undo = (who: typeof member) => who.command('/hc', 'undo', { until: 'undo' })
    expect((await undo(member)).text).toContain('You have nothing to undo')
    const before = await readChecks(world)
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await member.click(preview.message, 'Set 3', { until: 'Started.' })
    await waitForDm(world, 'Requested:')
    await member.command('/hc', 'delete mail')
    await member.submit({ name: 'mail' }, { until: 'Deleted “mail”' })
    await member.close({ all: true })
    await waitForDm(world, 'Requested: Delete “mail”')

    const last = await undo(member)
    expect(last.text).toMatch(
      /Undo your last change that can be undone\?\s+Deleted “mail”, which had no alerts\./,
    )
    expect(last.text).toContain('Before that: Changed 3 health checks: checked every 30 s.')
    expect((await undo(admin)).text).toContain('nothing to undo')
    await member.click(last.message, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Undone: Delete “mail”')

    const first = await undo(member)
    expect(first.text).toMatch(
      /Undo your last change that can be undone\?\s+Changed 3 health checks: checked every 30 s\./,
    )
    expect(JSON.stringify(first.message?.blocks)).toContain('Changes 3 health checks back.')
    await member.click(first.message, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Undone: Set frequency')
    expect(await readChecks(world)).toEqual(before)
    expect((await undo(member)).text).toContain('nothing to undo')
  })
})

describe('/hc jobs', () => {
  it('shows other people’s jobs to anyone who is allowed to stop them, and stops one on request', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 3), workTimes: { leaseMs: 600 } })
    const { member, admin } = world.slack
    await world.service.faults({ method: 'PUT', path: '/healthcheck', kind: 'hold' })
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await member.click(preview.message, 'Set 3', { until: 'Started.' })
    const jobs = await admin.command('/hc', 'jobs', { until: 'Set frequency to 30' })
    const [, label = ''] =
      /"text":"(1. Set frequency to 30[^"]*)","emoji"/.exec(JSON.stringify(jobs.message?.blocks)) ?? []
    await admin.choose(jobs.message, 'Stop…', label, { until: 'Stopping after' })
    await world.service.faults()
    await member.until('the end', ({ messages }) => /Stopped:|Requested:/.test(JSON.stringify(messages)))
    expect((await admin.command('/hc', 'jobs')).text).toContain('No import or bulk change')
  })
})

describe('a job whose owner loses the role', () => {
  it('stops by itself', async () => {
    const checks = Array.from({ length: 60 }, (_, index) => ({ name: `web-${index}` }))
    await using world = await startWorld({ checks })
    const { member } = world.slack
    await world.service.faults({ method: 'PUT', path: '/healthcheck', kind: 'hold' })
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    await member.click(preview.message, 'Set 60', { until: 'Started.' })
    await expect.poll(async () => (await world.service.requests('PUT')).length).toBeGreaterThan(0)
    const everyone = { kind: 'everyone', id: '*' } as const
    for (const role of ['operator', 'admin'] as const)
      await world.app.store.grants.remove(WORKSPACE, role, everyone)
    await world.service.faults()
    const stopped = await waitForDm(world, 'Ended early:')
    expect(stopped?.text).toContain('This needs the operator role')
    expect(stopped?.text).toMatch(/\d+ not started\./)
    expect((await world.service.requests('PUT')).length).toBeLessThan(60)
  })
})
