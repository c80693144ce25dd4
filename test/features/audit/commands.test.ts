import { describe, expect, it } from 'vitest'
import type { AuditEntry, AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { measureExport, toJsonLines } from '../../../src/features/audit/commands.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const createAuditEvent = (index: number, changes: Partial<AuditEvent> = {}): AuditEvent => ({
  workspaceId: WORKSPACE,
  at: new Date(Date.UTC(2026, 0, 1 + index)),
  actor: { userId: 'U0MEMBER01' },
  verb: '/hc edit',
  object: `health-check ${index}`,
  before: { name: 'web' },
  after: { name: 'www' },
  outcome: 'done',
  reference: `ref-${index}`,
  ...changes,
})

async function startWithAuditEvents(...auditEvents: AuditEvent[]): Promise<World> {
  // With open access, the world would give people roles, and that adds audit rows.
  const world = await startWorld({ access: 'closed' })
  for (const event of auditEvents) await world.app.store.audit.append(event)
  return world
}

describe('/hc audit', () => {
  it('shows who did what and the log reference, newest first', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1),
      createAuditEvent(2, {
        outcome: 'refused',
        actor: { userId: 'U0FOREIGN1', teamId: 'T0PARTNER1' },
        channelId: 'C0PARTNER1',
      }),
    )
    const { message } = await world.slack.admin.command('/hc', 'audit')
    const date = (day: number) =>
      `<!date^${Date.UTC(2026, 0, day) / 1000}^{date_short_pretty} {time}|2026-01-0${day} 00:00 UTC>`
    expect(message?.text.split('\n')).toEqual([
      'The last 2 entries, newest first',
      '<@U0FOREIGN1> tried to use /hc edit on health check 2',
      `⛔ refused · ${date(3)} · <#C0PARTNER1>`,
      '<@U0MEMBER01> changed health check 1',
      `✅ done · ${date(2)}`,
    ])
    const details = await world.slack.admin.click(message, 'Details', { until: 'ref-1' })
    expect(details.message?.text).toContain(
      '/hc edit health-check 1 – name: web → www\nRow 1, reference ref-1',
    )
  })

  it('describes jobs and daily summaries by name, and omits a missing object', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1, { verb: '/hc job-start', object: 'job 0b1c2d (Set frequency to 45 s: name web*)' }),
      createAuditEvent(2, { verb: '/hc unwatch', object: 'digest C0OPERATNS (OTE)' }),
      createAuditEvent(3, { outcome: 'refused', object: '' }),
      createAuditEvent(4, { outcome: 'refused', object: '(through a workflow)' }),
    )
    const { message } = await world.slack.admin.command('/hc', 'audit')
    expect(message?.text).toContain('started the job “Set frequency to 45 s: name web*”')
    expect(message?.text).toContain('set the daily summary of <#C0OPERATNS> (OTE)')
    expect(message?.text).toContain('<@U0MEMBER01> tried to use /hc edit\n⛔ refused')
    expect(message?.text).toContain('<@U0MEMBER01> tried to use /hc edit through a workflow\n⛔ refused')
  })

  it('shows the filters above the entries', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1, { verb: '/hc job-start', object: 'job 0b1c2d (Set frequency to 45 s: name web*)' }),
      createAuditEvent(2),
    )
    const { message } = await world.slack.admin.command('/hc', 'audit job --by @member')
    expect(message?.text).toContain('The last entry · only by <@U0MEMBER01>, object with “job”')
  })

  it('groups identical rows of a job, and shows each of them on request', async () => {
    const createJobEvent = (index: number) =>
      createAuditEvent(index, { reference: 'job-1', verb: '/hc create' })
    const job = Array.from({ length: 30 }, (_, index) => createJobEvent(index))
    await using world = await startWithAuditEvents(
      createAuditEvent(90),
      ...job.slice(0, 15),
      createAuditEvent(91, { actor: { userId: 'U0ADMIN001' } }),
      ...job.slice(15),
      { ...createJobEvent(40), outcome: 'failed' },
    )
    const { admin } = world.slack
    const grouped = await admin.command('/hc', 'audit')
    expect(grouped.text).toContain('and 29 similar')
    expect(grouped.text).toMatch(/^The last 33 entries, newest first/)
    const { text } = await admin.command('/hc', 'audit --details')
    expect(text).toContain('To see each of them, type /hc audit --reference job-1')
    expect(text).toContain('ref-90')
    expect(text).toContain('ref-91')
    expect(text.match(/❌ failed/g)).toHaveLength(1)
    const each = await admin.command('/hc', 'audit --reference job-1 --details')
    expect(each.text.match(/Row \d+, reference job-1/g)).toHaveLength(10)
    expect((await admin.command('/hc', 'audit --ungrouped')).text).not.toContain('similar')
  })

  it('says that there may be changes that have only started', async () => {
    await using world = await startWithAuditEvents(createAuditEvent(1, { outcome: 'begun' }))
    const { admin } = world.slack
    const { text } = await admin.command('/hc', 'audit')
    expect(text).toContain('No audit entries match')
    expect(text).toContain('Changes that have started but not ended aren’t listed.')
    expect((await admin.command('/hc', 'audit --intents')).text).toContain('The last entry')
  })

  it('splits long results into pages', async () => {
    await using world = await startWithAuditEvents(
      ...Array.from({ length: 25 }, (_, index) => createAuditEvent(index)),
    )
    const { admin } = world.slack
    const first = await admin.command('/hc', 'audit --details')
    expect(first.text).toContain('ref-24')
    expect(first.text).not.toContain('ref-14')
    const second = await admin.click(first.message, 'Older', { until: 'ref-14' })
    const third = await admin.click(second.message, 'Older', { until: 'ref-4' })
    expect(JSON.stringify(third.message?.blocks)).not.toContain('"Older"')
    expect((await admin.click(third.message, 'Newest', { until: 'ref-24' })).text).not.toContain('ref-4\n')
  })

  it('finds rows by any filter', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1, { object: 'health-check web', reference: 'row-a' }),
      createAuditEvent(2, { verb: '/hc delete', reference: 'row-b' }),
      createAuditEvent(3, { object: 'alert of web', actor: { userId: 'U0ADMIN001' }, reference: 'row-c' }),
    )
    for (const [typed, expectedRows] of [
      ['--by @member', ['a', 'b']],
      ['--by U0ADMIN001', ['c']],
      ['--verb delete', ['b']],
      ['--object WEB', ['a', 'c']],
      ['--from 2026-01-03', ['b', 'c']],
      ['--to 2026-01-02', ['a']],
      ['--by member --object web', ['a']],
      ['--object nothing', []],
      ['alert of WEB', ['c']],
      ['web', ['a', 'c']],
      ['@member', ['a', 'b']],
      ['nothing here', []],
    ] as const) {
      const { text } = await world.slack.admin.command('/hc', `audit ${typed} --details`)
      expect(
        ['a', 'b', 'c'].filter((name) => text.includes(`row-${name}`)),
        typed,
      ).toEqual(expectedRows)
      if (expectedRows.length === 0) expect(text, typed).toContain('No audit entries match')
    }
  })

  it('finds actions on a health check by its name and by its UUID', async () => {
    await using world = await startWorld({ checks: [{ name: 'Group wiki' }, { name: 'Group mail' }] })
    const { member, admin } = world.slack
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('Group wiki')
    const preview = await member.command('/hc', 'edit Group* --frequency 30')
    await member.click(preview.message, 'Change 2', { until: 'Started.' })
    await member.until('the end', ({ messages }) =>
      JSON.stringify(messages).includes('2 health checks are now checked every 30 s'),
    )
    await member.command('/hc', 'delete "Group wiki"')
    await member.submit({ name: 'Group wiki' }, { until: /[Dd]eleted/ })
    for (const object of ['"group wiki"', uuid]) {
      const { text } = await admin.command('/hc', `audit --object ${object}`)
      for (const entry of ['changed health check Group wiki', 'deleted health check Group wiki'])
        expect(text.replaceAll('\n', '')).toContain(entry)
      expect(text).not.toContain('Group mail')
    }
  })

  it('shows people only their own actions with --mine', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1, { object: 'health-check web' }),
      ...Array.from({ length: 11 }, (_, index) => createAuditEvent(index + 2, { verb: '/hc delete' })),
      createAuditEvent(20, { object: 'health-check secret', actor: { userId: 'U0ADMIN001' } }),
      createAuditEvent(21, { workspaceId: 'T0WORKSHOP', object: 'health-check elsewhere' }),
    )
    const { member } = world.slack
    expect((await member.command('/hc', 'audit')).text).toContain('This needs the admin role')
    const first = await member.command('/hc', 'audit --mine --ungrouped')
    expect(first.text.match(/deleted/g)).toHaveLength(9)
    const shown = JSON.stringify(first.message?.blocks)
    for (const words of ['secret', 'elsewhere', 'U0ADMIN001', 'www', '"Details"', '"Export"'])
      expect(shown).not.toContain(words)
    const second = await member.click(first.message, 'Older', { until: 'health check web' })
    expect(second.text).not.toContain('secret')
    expect((await member.command('/hc', 'audit --mine --verb edit')).text).toContain('health check web')
    expect((await member.command('/hc', 'audit --mine --object secret')).text).toContain(
      'No audit entries match',
    )
  })

  it('rejects what only admins may see together with --mine', async () => {
    await using world = await startWithAuditEvents(createAuditEvent(1, { actor: { userId: 'U0ADMIN001' } }))
    for (const flag of ['--by @admin', '--details', '--export', '--intents']) {
      const { text } = await world.slack.member.command('/hc', `audit --mine ${flag}`)
      expect(text).toContain(`not ${flag.split(' ')[0]}.`)
    }
  })

  it('doesn’t let guests use --mine', async () => {
    await using world = await startWithAuditEvents(createAuditEvent(1, { actor: { userId: 'U0GUEST001' } }))
    const { text } = await world.slack.user('U0GUEST001').command('/hc', 'audit --mine')
    expect(text).toContain('isn’t open to guests')
  })

  it('rejects filters that it can’t parse', async () => {
    await using world = await startWithAuditEvents(createAuditEvent(1))
    const { admin } = world.slack
    expect((await admin.command('/hc', 'audit @nobody.here')).text).toContain(
      'No one here is named @nobody.here',
    )
    expect((await admin.command('/hc', 'audit --objekt web')).text).toContain('Did you mean')
  })

  it('shows text from rows without mentions or links', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1, {
        object: '<!channel> <@U0ADMIN001> *b* http://x.example',
        after: { name: '<!here>' },
      }),
    )
    const { message } = await world.slack.admin.command('/hc', 'audit')
    expect(message?.text.replaceAll(/<!date[^>]*>/g, '')).not.toMatch(/<!|<@U0ADMIN001>|<http/)
  })

  it('describes changes to connections and alerts, and calls a single match the last entry', async () => {
    const uuid = '6f1c0d52-4f0e-4a5e-9d51-0b6c1a9a7e11'
    await using world = await startWithAuditEvents(
      createAuditEvent(1, { verb: '/hc disconnect', object: 'connection to production' }),
      createAuditEvent(2, { verb: '/hc alert-edit', object: `health-check ${uuid} (Group wiki)` }),
    )
    const { admin } = world.slack
    const text = (await admin.command('/hc', 'audit')).text.replaceAll('\n', '')
    expect(text).toContain('removed the token of the connection to production')
    expect(text).toContain('changed an alert of health check Group wiki')
    expect((await admin.command('/hc', 'audit --verb disconnect')).text).toContain('The last entry\n · only')
  })

  it('is only for admins', async () => {
    await using world = await startWorld({ access: 'closed' })
    expect((await world.slack.member.command('/hc', 'audit')).text).toContain('This needs the admin role')
    expect((await world.slack.admin.command('/hc', 'audit')).text).toContain('The last entry')
  })
})

describe('/hc audit --export', () => {
  it('sends every matching row as JSON Lines, oldest first, and adds the export to the audit log', async () => {
    await using world = await startWithAuditEvents(
      ...Array.from({ length: 30 }, (_, index) => createAuditEvent(index)),
      createAuditEvent(40, { verb: '/x' }),
    )
    const { admin } = world.slack
    const first = await admin.command('/hc', 'audit --verb edit')
    const answer = await admin.click(first.message, 'Export', { until: 'Signalman sent you a DM' })
    expect(answer.text).toContain('the file of 30 rows')
    const { messages } = await admin.until('the file', ({ messages }) =>
      JSON.stringify(messages).includes('one JSON object per line'),
    )
    const [file] = Object.values(messages)
      .flat()
      .flatMap(({ files }) => files)
    expect(file?.name).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const content = await (await fetch(`${world.playground.url}${file?.href}`)).text()
    const rows = content
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ reference }) => reference)).toEqual(
      Array.from({ length: 30 }, (_, index) => `ref-${index}`),
    )
    expect(rows[0]).toMatchObject({ sequence: 1, before: { name: 'web' }, outcome: 'done' })
    const [exported] = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      verb: '/hc audit',
      limit: 1,
    })
    expect(exported).toMatchObject({
      object: 'export of the audit log',
      after: { rows: 30, only: 'verb /hc edit' },
    })
  })

  it('doesn’t leave “Sending” in the message if Slack rejected the file', async () => {
    await using world = await startWithAuditEvents(createAuditEvent(1))
    const { admin } = world.slack
    const uploadFault = {
      method: 'files.getUploadURLExternal',
      kind: 'error',
      error: 'restricted_action',
    } as const
    await world.slack.faults({ ...uploadFault, times: 99 })
    const answer = admin.command('/hc', 'audit --export', { until: 'Signalman sent you a DM' })
    await admin.until('that it was not sent', ({ messages }) =>
      JSON.stringify(messages).includes('Slack didn’t confirm the file: '),
    )
    await world.slack.faults()
    await answer
    // A retry continues in the same message, and in one audit row.
    const dmTexts = (await admin.messages('dm')).map(({ text }) => text)
    expect(dmTexts[0]).toContain('1 row of the audit log, oldest first')
    expect(dmTexts.join()).not.toContain('Sending')
    expect(await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 9 })).toHaveLength(2)
  })

  it('says that there’s nothing to export if no row matches', async () => {
    await using world = await startWithAuditEvents()
    expect((await world.slack.admin.command('/hc', 'audit --export')).text).toContain('nothing to export')
  })

  it('holds only one row in memory at a time', async () => {
    let createdRows = 0
    async function* rows(): AsyncGenerator<AuditEntry> {
      for (let sequence = 1; sequence <= 20_000; sequence += 1) {
        createdRows += 1
        yield { ...createAuditEvent(sequence % 1000), sequence }
      }
    }
    const { bytes } = await measureExport(rows())
    createdRows = 0
    let [sentBytes, lines, rowsAhead] = [0, 0, 0]
    for await (const line of toJsonLines(rows())) {
      lines += 1
      sentBytes += line.length
      rowsAhead = Math.max(rowsAhead, createdRows - lines)
    }
    expect({ sentBytes, lines, rowsAhead }).toEqual({ sentBytes: bytes, lines: 20_000, rowsAhead: 0 })
  })
})
