import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditEntry, AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { measureExport, toJsonLines } from '../../../src/features/audit/export-audit.ts'
import { auditView } from '../../../src/features/audit/views.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { downloadFile } from '../health-checks/files/csv-files.ts'

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

const NO_VERBS = { commands: () => [], findVerbs: () => new Map() }

async function startWithAuditEvents(...auditEvents: AuditEvent[]): Promise<World> {
  // With open access, the world would give people roles, and that adds audit rows.
  const world = await startWorld({ access: 'closed' })
  for (const event of auditEvents) await world.app.store.audit.append(event)
  return world
}

describe('/hc audit', () => {
  it('lists what was done to what, what changed, who, and when, newest first', async () => {
    const uuid = '6f1c0d52-4f0e-4a5e-9d51-0b6c1a9a7e11'
    await using world = await startWithAuditEvents(
      createAuditEvent(1),
      createAuditEvent(2, {
        outcome: 'refused',
        actor: { userId: 'U0FOREIGN1', teamId: 'T0PARTNER1' },
        channelId: 'C0PARTNER1',
      }),
      createAuditEvent(3, { verb: '/hc delete', object: `health-check ${uuid} (Group wiki) (OTE)` }),
      createAuditEvent(4, {
        verb: '/hc grant',
        object: 'role operator of U0ADMIN001',
        after: { role: 'operator' },
      }),
      createAuditEvent(5, { verb: 'install', object: '', actor: { userId: 'system' }, outcome: 'failed' }),
      createAuditEvent(6, { verb: '/hc revoke', object: 'role approver of S0ONCALL01', after: undefined }),
      createAuditEvent(7, {
        ...{ verb: '/hc env', object: 'channel C0GENERAL1 (OTE)' },
        ...{ before: { customerId: 1 }, after: { customerId: 2 } },
      }),
      // Nobody types this.
      createAuditEvent(8, {
        verb: '/cert-order submit',
        object: 'order 1: shop.example.com',
        before: { status: 'being sent' },
        after: { status: 'received', serviceOrder: '500001' },
      }),
      ...['mute', 'maintenance'].map((kind, index) =>
        createAuditEvent(9 + index, {
          ...{ verb: '/hc unmute', object: `${kind} ${'m'.repeat(22)}, ${'n'.repeat(22)} (shop*, web-1)` },
          ...{ before: undefined, after: undefined },
        }),
      ),
    )
    const { message } = await world.slack.admin.command('/hc', 'audit')
    const date = (day: number) =>
      `<!date^${Date.UTC(2026, 0, day) / 1000}^{date_short_pretty} at {time}|2026-01-${String(day).padStart(2, '0')} 00:00 UTC>`
    expect(message?.text.split('\n')).toEqual([
      '10 entries, newest first',
      `/hc unmute maintenance shop*, web-1 · <@U0MEMBER01>, ${date(11)}`,
      `/hc unmute shop*, web-1 · <@U0MEMBER01>, ${date(10)}`,
      `submit order 1: shop.example.com · status being sent → received · service order: 500001 · <@U0MEMBER01>, ${date(9)}`,
      `/hc env <#C0GENERAL1> (OTE) · customer 1 → 2 · <@U0MEMBER01>, ${date(8)}`,
      `/hc revoke <!subteam^S0ONCALL01> approver · <@U0MEMBER01>, ${date(7)}`,
      `❌ failed · install · system, ${date(6)}`,
      `/hc grant <@U0ADMIN001> operator · <@U0MEMBER01>, ${date(5)}`,
      `/hc delete Group wiki (OTE) · name web → www · <@U0MEMBER01>, ${date(4)}`,
      `⛔ refused · /hc edit health-check 2 · <@U0FOREIGN1>, ${date(3)}`,
      `/hc edit health-check 1 · name web → www · <@U0MEMBER01>, ${date(2)}`,
      'The exported file also has the channels, the IDs, all values, and the references.',
    ])
  })

  it('shows the rows of a job as one, and pages through the rest', async () => {
    const createJobEvent = (index: number) =>
      createAuditEvent(index, { reference: 'job-1', verb: '/hc create' })
    const job = [
      createAuditEvent(0, { reference: 'job-1', verb: '/hc create', object: 'job 1: Create 30' }),
      ...Array.from({ length: 30 }, (_, index) => createJobEvent(index)),
    ]
    await using world = await startWithAuditEvents(
      ...Array.from({ length: 45 }, (_, index) => createAuditEvent(index, { object: `row-${index}.` })),
      ...job,
      { ...createJobEvent(40), outcome: 'failed' },
    )
    const { admin } = world.slack
    const first = await admin.command('/hc', 'audit')
    expect(first.text).toContain('and 29 similar')
    expect(first.text).toMatch(/^The newest 49 entries/)
    expect(first.message?.text).toMatch(/^\/hc create job 1: Create 30 · name web → www · <@/m)
    const shown = (text: string) => [...text.matchAll(/row-(\d+)\./g)].map(([, index]) => Number(index))
    const second = await admin.click(first.message, 'Older', { until: 'row-20.' })
    const third = await admin.click(second.message, 'Older', { until: 'row-0.' })
    expect([first, second, third].flatMap(({ text }) => shown(text))).toEqual(
      Array.from({ length: 45 }, (_, index) => 44 - index),
    )
    expect(JSON.stringify(third.message?.blocks)).not.toContain('"Older"')
    await admin.click(third.message, 'Newest', { until: 'and 29 similar' })
  })

  it('finds rows by person, period, and text, and keeps the filters on every page and in the export', async () => {
    await using world = await startWithAuditEvents(
      createAuditEvent(1, { object: 'health-check web a.', reference: 'r1' }),
      createAuditEvent(2, { verb: '/hc delete', object: 'alert of b.' }),
      createAuditEvent(3, { object: 'alert of web c.', actor: { userId: 'U0ADMIN001' } }),
    )
    const { admin } = world.slack
    for (const [typed, expected, headline] of [
      ['@member', 'ab', '2 entries, newest first · by <@U0MEMBER01>'],
      ['U0ADMIN001', 'c', '1 entry, newest first · by <@U0ADMIN001>'],
      ['delete', 'b', '1 entry, newest first · with “delete”'],
      ['/hc delete', 'b', '1 entry'],
      ['WEB', 'ac', '2 entries'],
      ['alert of WEB', 'c', '1 entry'],
      ['r1', 'a', '1 entry'],
      ['2026-01-03..2026-01-04', 'bc', '2 entries, newest first · from '],
      ['2026-01-02', 'a', '1 entry'],
      ['@member web 2026-01', 'a', '1 entry'],
      ['2026-01 web', 'ac', '2 entries'],
      ['2026-01-02 00:00..2026-01-03 @member delete', 'b', '1 entry'],
      ['since 2026-01-01 alert of web', 'c', '1 entry'],
      // With what there is.
      ['nothing here', 'abc', 'No audit entry matches “nothing here”.'],
      ['nothing U0ADMIN001', 'c', 'No audit entry of that person matches “nothing”.'],
      ['nothing 2026-01-03..2026-01-04', 'bc', 'No audit entry matches “nothing” ('],
    ] as const) {
      const { message } = await admin.command('/hc', `audit ${typed}`)
      const { text = '' } = message ?? {}
      expect(text, typed).toContain(headline)
      expect([...'abc'].filter((name) => text.includes(`${name}.`)).join(''), typed).toBe(expected)
      if (headline.startsWith('No ')) continue
      const again = await admin.click(message, 'Refresh', { until: headline.slice(0, 9) })
      expect(again.message?.text.split('\n').slice(1), typed).toEqual(text.split('\n').slice(1))
    }
    const { message } = await admin.command('/hc', 'audit @member web 2026-01')
    const exported = await admin.click(message, 'Export', { until: 'Signalman sent you a DM' })
    expect(exported.text).toContain('the file of 1 row.')
  })

  it('refuses a person, a flag, and a day that there isn’t', async () => {
    await using world = await startWithAuditEvents(createAuditEvent(1))
    for (const [typed, expected] of [
      ['@nobody.here', 'No one here is named @nobody.here'],
      ['--objekt web', '/hc help audit'],
      ['2099-01-01', 'isn’t in the past'],
      ['0d', '“0d” isn’t in the past.'],
    ] as const)
      expect((await world.slack.admin.command('/hc', `audit ${typed}`)).text).toContain(expected)
    const { member } = world.slack
    for (const typed of ['audit', 'audit --export', `audit ${member.id}`])
      expect((await member.command('/hc', typed)).text).toContain('This needs the admin role')
  })

  it('shows no text of a row as a mention, a link, or other markup', () => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
      fc.constantFrom('<!channel> *b*', '<@U0ADMIN001>', '@here', '@channel', 'http://x.example', '`a` ~b~'),
    )
    fc.assert(
      fc.property(text, text, text, (object, verb, filter) => {
        const entry = { ...createAuditEvent(1, { object, verb }), sequence: 1 }
        const view = auditView({
          folds: [{ entry, rows: 1, firstSequence: 1 }],
          filters: { text: filter },
          line: '/hc audit',
          before: undefined,
          isOlderPage: false,
          routes: NO_VERBS,
        })
        const shown = view.text.replaceAll(/<!date[^>]*>|<@U0MEMBER01>/g, '')
        expect(shown).not.toMatch(/<[!@#]|<http|(?<![\w\u2060])@(?:here|channel|everyone)\b/)
      }),
    )
  })
})

describe('/hc audit --export', () => {
  it('sends every matching row as JSON Lines, oldest first, and adds the export to the audit log', async () => {
    await using world = await startWithAuditEvents(
      ...Array.from({ length: 30 }, (_, index) => createAuditEvent(index)),
      createAuditEvent(40, { verb: '/x' }),
    )
    const { admin } = world.slack
    expect((await admin.command('/hc', 'audit nowhere --export')).text).toContain('nothing to export')
    const first = await admin.command('/hc', 'audit edit')
    const answer = await admin.click(first.message, 'Export', { until: 'Signalman sent you a DM' })
    expect(answer.text).toContain('the file of 30 rows')
    const { name, text: content } = await downloadFile(world, admin)
    expect(name).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const rows = content
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ reference }) => reference)).toEqual(
      Array.from({ length: 30 }, (_, index) => `ref-${index}`),
    )
    expect(rows[0]).toMatchObject({ sequence: 1, before: { name: 'web' }, outcome: 'done' })
    const search = { workspaceId: WORKSPACE, text: '/hc audit', limit: 1 }
    expect(await world.app.store.audit.search(search)).toMatchObject([
      { object: 'export of the audit log', after: { rows: 30, text: 'edit' } },
    ])
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
