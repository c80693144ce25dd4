import { checkMessage, checkView as checkSlackView } from '@signalman/playground'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AccessDenied, FieldErrors, Question, UserError } from '../../../packages/runtime/src/errors.ts'
import type { Message } from '../../../packages/slack/src/blocks/message.ts'
import { modalView } from '../../../packages/slack/src/blocks/modal.ts'
import { bindButtons } from '../../../src/bot/bind-buttons.ts'
import { explain, problemMessage } from '../../../src/bot/request/explain.ts'
import type { Modal } from '../../../src/bot/routes/routes.ts'
import { addForm, editForm as alertForm, removeForm } from '../../../src/features/alerts/forms.ts'
import { alertsView } from '../../../src/features/alerts/views.ts'
import { connectedView, tokensView } from '../../../src/features/connection/views.ts'
import {
  createNameGroups,
  describeRow,
  endedView,
  previewView,
  runningView,
} from '../../../src/features/health-checks/bulk/views.ts'
import { createForm } from '../../../src/features/health-checks/forms/create.ts'
import { deleteForm } from '../../../src/features/health-checks/forms/delete.ts'
import { editForm } from '../../../src/features/health-checks/forms/edit.ts'
import type { Row } from '../../../src/features/health-checks/rules/row.ts'
import { pickCheckSettings } from '../../../src/features/health-checks/rules/settings.ts'
import { checkView } from '../../../src/features/health-checks/views/check.ts'
import { listView, summaryView } from '../../../src/features/health-checks/views/list.ts'
import { helpView, problemView, settingsView, setUpView } from '../../../src/features/home/views.ts'
import type { Alert } from '../../../src/service/alerts.ts'
import { ApiError } from '../../../src/service/errors.ts'
import type { HealthCheck } from '../../../src/service/health-checks.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { quickOrLong } from '../../long.ts'

/** How many random contents each kind of message and modal is shown with. */
const RUNS = quickOrLong('VIEW_CONTENTS', { quick: 10, long: 600 })
const NOW = new Date('2026-03-01T12:00:00.000Z')
const STORED_ID = 'A'.repeat(22)
const METADATA = 'A'.repeat(3000)
const UUID = '3f2a9c1e-7b4d-4e8a-9c55-000000000001'

const HOSTILE_TEXTS = [
  '',
  ' ',
  '<!channel>',
  '<@U0MEMBER01> <https://evil.example|click>',
  '*_~`:smile:`~_*',
  '😀'.repeat(5000),
  '👩‍👩‍👧‍👦'.repeat(2000),
  'x'.repeat(10_000),
  `e${'\u0301'.repeat(20_000)}`,
  '\u202eevil\u202c \u2066x\u2069',
  'שלום عالم '.repeat(500),
  '\ud83d',
  '\0\u0001\u007f\u0085',
  '&amp;&lt;&gt;&'.repeat(1000),
  '\n'.repeat(4000),
  '"\'\\'.repeat(3000),
  'ﷺ'.repeat(3000),
  'constructor',
  '__proto__',
] as const

const text = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: ANY_CHARACTER, maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const environment = fc.constantFrom('production', 'ote')
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER))
const anyDate = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
const anyTime = fc.oneof(
  fc.constant(undefined),
  text,
  anyDate.map((at) => at.toISOString()),
)

const anyCheck: fc.Arbitrary<HealthCheck> = fc.record({
  uuid: fc.oneof(
    fc.constant(UUID),
    text.filter((uuid) => uuid.length > 0),
  ),
  name: text,
  status: fc.oneof(fc.constantFrom('HEALTHY', 'UNHEALTHY', 'INSTALLING'), text),
  customerId: maybe(number),
  protocol: maybe(fc.oneof(fc.constantFrom('TCP', 'HTTP', 'HTTPS'), text)),
  target: maybe(text),
  port: maybe(number),
  frequency: maybe(number),
  createdAt: anyTime,
  createdBy: maybe(text),
  modifiedAt: anyTime,
  modifiedBy: maybe(text),
  httpServerAddress: maybe(text),
  verifySsl: maybe(fc.boolean()),
})
const recipients = fc.oneof(
  fc.array(text, { maxLength: 8 }),
  fc.constant(Array.from({ length: 2000 }, (_, index) => `person-${index}@example.com`)),
)
const anyAlert: fc.Arbitrary<Alert> = fc.record({
  ...{ id: fc.oneof(fc.nat().map(String), fc.constant('')), type: text, recipients },
  ...{ unreadable: fc.constantFrom(undefined, 1, 30), createdAt: anyTime, createdBy: maybe(text) },
})
/** Repeats one generated item, so that generating thousands takes no longer than one. */
const repeatOne = <T>(arbitrary: fc.Arbitrary<T>, max: number): fc.Arbitrary<T[]> =>
  fc.oneof(
    fc.array(arbitrary, { maxLength: 6 }),
    fc.tuple(arbitrary, fc.constantFrom(1, 15, 50, 101, max)).map(([item, count]) => Array(count).fill(item)),
  )

const findFaults = (checked: { error: string; notes: string[] } | object): unknown =>
  'error' in checked ? checked : 'none'

/** Returns the value as Slack receives it: JSON has no undefined fields. */
const viaJson = <T>(value: T) => JSON.parse(JSON.stringify(value))

function expectMessageAccepted({ text: words, blocks }: Message): void {
  expect(findFaults(checkMessage(viaJson({ text: words, blocks: bindButtons(blocks, 'production') })))).toBe(
    'none',
  )
  expect(words.trim()).not.toBe('')
  // Slack accepts more in a new message, but not in an edit.
  expect(words.length).toBeLessThanOrEqual(4000)
}

/** Any message may also appear in a modal: as the result of a form, or in response to a button. */
function expectModalAccepted(content: Message | Modal): void {
  const modal: Modal = 'title' in content ? content : { title: 'Signalman', blocks: content.blocks }
  const view = modalView({ ...modal, blocks: bindButtons(modal.blocks.flat(), 'production') }, METADATA)
  expect(findFaults(checkSlackView(viaJson(view), ['modal']))).toBe('none')
}

function expectAccepted<T>(arbitrary: fc.Arbitrary<T>, make: (value: T) => Message | Modal): void {
  fc.assert(
    fc.property(arbitrary, (value) => {
      const content = make(value)
      if (!('title' in content)) expectMessageAccepted(content)
      expectModalAccepted(content)
    }),
    { numRuns: RUNS },
  )
}

describe('for any response from the service, Slack accepts', () => {
  it('the summary', () => {
    const down = repeatOne(anyCheck, 10).map((checks) => checks.slice(0, 10))
    expectAccepted(fc.tuple(fc.nat(), fc.nat(), down, environment), ([total, unhealthy, rows, where]) =>
      summaryView(
        {
          total,
          healthy: 2,
          down: { rows, total: unhealthy, unreadable: 4 },
          since: new Map(
            rows.map(({ uuid }) => [uuid, { at: NOW, onIt: { by: uuid, name: uuid, at: NOW } }]),
          ),
        },
        where,
        NOW,
      ),
    )
  })

  it('a listing with any filters', () => {
    const filters = fc.record(
      { name: text, status: text, protocol: text, target: text, customerId: fc.nat() },
      { requiredKeys: [] },
    )
    expectAccepted(
      fc.tuple(repeatOne(anyCheck, 40), fc.nat(10), fc.nat(), filters, environment),
      ([all, count, total, wanted, where]) => {
        // Together they are one page.
        const rows = all.slice(0, 40 - count)
        const down = { rows: all.slice(40 - count), total, unreadable: 1 }
        return listView(
          { down, rows, pageSize: 40, start: 40, next: 60, total, unreadable: 1, isUncompared: true },
          wanted,
          {},
          where,
          NOW,
        )
      },
    )
  })

  it('a check and the modals to edit and delete it', () => {
    expectAccepted(fc.tuple(anyCheck, repeatOne(anyAlert, 40), environment), ([check, alerts, where]) =>
      checkView(check, alerts, where, NOW),
    )
    expectAccepted(anyCheck, (check) => editForm.open('ote', check, 'account'))
    expectAccepted(anyCheck, (check) =>
      createForm.open('ote', 'account', { name: check.name, target: check.target }),
    )
    expectAccepted(fc.tuple(anyCheck, repeatOne(anyAlert, 40)), ([check, alerts]) => {
      const before = { settings: pickCheckSettings(check), alerts }
      const row = { do: 'delete', line: 1, name: check.name || check.uuid, uuid: check.uuid, before } as const
      return deleteForm.open('ote', check, alerts, { account: 'A', row })
    })
  })

  it('alerts and their modals', () => {
    expectAccepted(fc.tuple(anyCheck, repeatOne(anyAlert, 60), environment), ([check, alerts, where]) => {
      const view = alertsView(check, alerts, { page: 2, environment: where, now: NOW, watchLine: check.name })
      expect(view.text).not.toMatch(/<!channel>|<@/)
      return view
    })
    const seen = (check: HealthCheck, alert: Alert) => ({ account: 'A', check, alert, alerts: [alert] })
    for (const form of [alertForm, removeForm])
      expectAccepted(fc.tuple(anyCheck, anyAlert, environment), ([check, alert, where]) =>
        form.open(where, seen(check, alert)),
      )
    expectAccepted(fc.tuple(anyCheck, environment), ([check, where]) =>
      addForm.open(where, { account: 'A', check, alerts: [] }),
    )
  })

  it('the messages of a change of many health checks', () => {
    // Described before it's repeated, because comparing its recipients is most of the work.
    const anyRow = fc.tuple(anyCheck, text, repeatOne(anyAlert, 40)).map(([check, name, alerts]) => {
      const before = { settings: pickCheckSettings(check), alerts }
      const row: Row = {
        ...{ do: 'edit', line: 1, name, uuid: check.uuid },
        ...{ before, set: { name, target: name }, alerts: [] },
      }
      return { name, change: describeRow(row) }
    })
    const leftOut = repeatOne(fc.record({ line: fc.nat(), name: text, reason: text }), 5000)
    const counts = { ready: 1, begun: 1, done: 10_000, skipped: 1, unclear: 1 }
    expectAccepted(
      fc.tuple(text, repeatOne(anyRow, 100), leftOut, environment),
      ([title, rows, out, where]) => {
        const groups = createNameGroups()
        for (const { name, change } of rows) groups.add(name, change)
        for (const each of out) groups.add(each.name, each.reason)
        const about = { verb: '/hc edit', title, question: title, account: 'A', notes: [title.slice(0, 300)] }
        const counts = { create: 0, edit: rows.length, delete: 0 }
        const plan = {
          ...about,
          counts,
          leftOut: out.length,
          unchanged: 2,
          addresses: rows.length,
          groups,
        }
        return previewView(STORED_ID, plan, where)
      },
    )
    expectAccepted(
      fc.tuple(text, repeatOne(anyRow, 100), text, environment),
      ([title, rows, reason, where]) => {
        const details = { verb: '/hc edit', title, account: 'A' }
        expectAccepted(fc.constant(where), () => runningView(STORED_ID, details, counts, where))
        const failed = createNameGroups()
        for (const { name } of rows) failed.add(name, reason)
        const kinds = { create: 0, edit: rows.length, delete: 0 }
        const ended = { details, counts, wanted: kinds, done: kinds, unclear: 1, failed, only: undefined }
        const problem = reason.slice(0, 300)
        const notes = { addresses: [], undo: { fileId: 'F1' } }
        return endedView({ ...ended, notes, problem, isStopped: true }, where)
      },
    )
  })

  it('tokens and connections', () => {
    const token = fc.record({ token: text, createdAt: text })
    expectAccepted(fc.tuple(repeatOne(token, 500), environment), ([tokens, where]) =>
      tokensView({ tokens, unreadable: 3 }, undefined, where, NOW, 1),
    )
    expectAccepted(environment, (where) => connectedView(where, { visible: 5, replaced: true }, 2))
  })

  it('every error message', () => {
    const sentenceLists = fc.array(text, { maxLength: 10 })
    // The app's own text is never empty, whatever the input.
    const ownText = text.map((subject) => `There is no ${subject}`)
    const anyError = fc.oneof(
      ownText.map((words) => new FieldErrors({ name: words })),
      sentenceLists.map(
        (sentences) =>
          new ApiError('rejected', 'x', {
            serviceMessages: sentences.map((sentence) => sentence.slice(0, 300)),
          }),
      ),
      ownText.map((words) => new UserError(words, [{ label: words, line: '/hc' }])),
      ownText.map((words) => new Question(words, Array(60).fill({ label: words, line: '/hc' }))),
      fc
        .tuple(ownText, sentenceLists)
        .map(([words, admins]) => new AccessDenied(words, { admins, suggestions: [] })),
      text.map((words) => new Error(words)),
    )
    expectAccepted(anyError, (error) => problemMessage(explain(error), '0123456789'))
  })

  it('App Home', () => {
    const counts = { total: 99, healthy: 1, since: new Map() }
    const summary = fc.oneof(
      repeatOne(anyCheck, 10).map((rows) => {
        const down = { rows, total: 97, unreadable: 0 }
        return summaryView({ ...counts, down }, 'production', NOW, { atHome: true }).blocks
      }),
      text.map(problemView),
    )
    fc.assert(
      fc.property(summary, environment, (blocks, where) => {
        const stored = { userId: 'U0MEMBER01', storedAt: NOW }
        const homeBlocks = [
          ...setUpView({ isAdmin: true }),
          ...blocks,
          ...settingsView({ environment: where, stored }, { hasRoles: false }),
          ...helpView(true),
        ]
        const view = viaJson({ type: 'home', blocks: bindButtons(homeBlocks, 'production') })
        expect(findFaults(checkSlackView(view, ['home']))).toBe('none')
      }),
      { numRuns: RUNS },
    )
  })
})
