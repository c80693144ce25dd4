import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Line,
  lines,
  type Message,
  oneLine,
  table,
  words,
} from '@signalman/slack'
import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/sweeping.ts'
import { sayFields, writeFields } from '../../../bot/typed/fields.ts'
import { besidePage, listPage, pageOf, pageWords } from '../../../bot/views/list-page.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { grouped, listed } from '../../../domain/wording.ts'
import { changedName } from '../changes/outcomes.ts'
import { checks } from '../changes/views.ts'
import {
  actionWords,
  type BulkAction,
  type BulkRequest,
  bulkLine,
  CHANGES,
  MEANT,
  narrowedWords,
  recipientWords,
  takenOut,
} from './parse.ts'
import type { BulkPlan } from './plan-bulk.ts'

/** Rows of a table in a message; all of them come as a file. */
const SHOWN = 15
const CELL = 100

const BUTTONS: Readonly<Record<BulkAction, string>> = {
  edit: 'Change',
  delete: 'Delete',
  clone: 'Copy',
  recipients: 'Change',
}

const HEADS: Partial<Record<BulkAction, readonly string[]>> = {
  delete: ['Name', 'Target', 'Then'],
  clone: ['Name', 'Target', 'Copy'],
}

/** What it is called while it runs and in the audit log. */
export const titleOf = (request: BulkRequest, which: string): string =>
  clip(oneLine(`${actionWords(request)} ${which}`), 300)

/** What the checks are afterwards, behind `is` or `are`. */
export function becameWords({ what, to }: BulkRequest): string {
  if (what === 'delete') return 'deleted'
  if (what === 'clone') return 'copied'
  if (what === 'recipients') {
    const { add = [] } = to
    const out = takenOut(to).join(', ')
    if (add.length === 0) return `not mailing ${out} any more`
    return `now mailing ${add.join(', ')}${out ? `, not ${out}` : ''}`
  }
  return isFrequencyAlone(to)
    ? `now checked every ${to.frequency} s`
    : `changed: ${sayFields(CHANGES.edit, to).join(', ')}`
}

const isFrequencyAlone = (to: BulkRequest['to']): boolean => Object.keys(to).join() === 'frequency'

/** What is asked before anything is done: what, a table of what changes, and the button that does it. */
export function previewView(
  request: BulkRequest,
  plan: BulkPlan,
  environment: Environment,
  note?: string,
): Message {
  const { changes, not, isShort } = plan
  const canBegin = changes.length > 0 && !isShort
  const folded = foldedRows(changes)
  const rows = folded.slice(0, SHOWN).map(({ row }) => row.map((cell) => clip(oneLine(cell), CELL)))
  const isAllShown = folded.length <= SHOWN && not.length <= SHOWN && folded.every(({ namesAll }) => namesAll)
  const line = (verb: string) => `/hc ${verb} ${bulkLine(request)}`
  return card({
    answer: [
      `${questionOf(request, plan)}${badgeOf(environment)}`,
      changes.length > 0 ? ' Nothing is changed yet.' : '',
    ],
    notes: notesOf(request, plan, { note, folded: folded.length }),
    body: rows.length > 0 ? [table(HEADS[request.what] ?? ['Name', 'Now', 'Then'], rows)] : [],
    classicBody: () => (rows.length > 0 ? [lines(...rows.map(rowLine))] : []),
    small: [
      ...not.slice(0, SHOWN).map(({ name, says }): Line => [words(`${clip(oneLine(name), 80)}: ${says}`)]),
      ...(not.length > SHOWN
        ? [`And ${grouped(not.length - SHOWN)} more: all of them are in the file.`]
        : []),
    ],
    controls: [
      ...(canBegin
        ? [applyButton(request.what, changes.length, `${line('bulk-apply')} --seen ${plan.digest}`)]
        : []),
      commandButton('Edit this change', line('bulk')),
      ...(isAllShown
        ? []
        : [commandButton(`All ${grouped(changes.length + not.length)} as a file`, line('bulk-file'))]),
      ...(canBegin ? [commandButton('Cancel', '/hc bulk-cancel', { inPlace: true })] : []),
    ],
  })
}

/** Checks of which the same becomes are one row, by as many of their names as fit a cell. */
function foldedRows(changes: BulkPlan['changes']): { row: readonly string[]; namesAll: boolean }[] {
  const named = new Map<string, { names: string[]; values: readonly string[] }>()
  for (const { row } of changes) {
    const [name, ...values] = row
    const known = named.get(JSON.stringify(values))
    if (known) known.names.push(name)
    else named.set(JSON.stringify(values), { names: [name], values })
  }
  return [...named.values()].map(({ names, values }) => {
    const fitting = names.findLastIndex((_, index) => listed(names, index + 1, oneLine).length <= CELL)
    const count = Math.max(1, fitting + 1)
    return { row: [listed(names, count, oneLine), ...values], namesAll: count === names.length }
  })
}

const rowLine = ([name = '', now = '', then = '']: readonly string[]): Line => [
  words(name, { bold: true }),
  `: ${now} → ${then}`,
]

/** `Check 11 health checks every 45 s?`, or why there is nothing to do. */
function questionOf(request: BulkRequest, plan: BulkPlan): string {
  const { what, to } = request
  const some = checks(plan.changes.length)
  if (plan.changes.length === 0) return nothingToDo(plan)
  if (what === 'delete') return `Delete ${some}, with their alerts?`
  if (what === 'recipients') return `${recipientWords(to, ` about ${some}`)}?`
  if (what === 'clone') {
    const customer = to.customerId === undefined ? '' : ` and for customer ${to.customerId}`
    return `Copy ${some}, with “${(to.suffix ?? '').trim()}” added to the name${customer}?`
  }
  return isFrequencyAlone(to)
    ? `Check ${some} every ${to.frequency} s?`
    : `Change ${some}: ${sayFields(CHANGES.edit, to).join(', ')}?`
}

function nothingToDo({ meant, same }: BulkPlan): string {
  if (meant === 0) return 'Nothing to do: no health check matches.'
  if (same < meant) return 'Nothing to do: none of those that match can be changed.'
  return same === 1
    ? 'Nothing to change: the health check that matches has these values already.'
    : `Nothing to change: all ${grouped(same)} health checks that match have these values already.`
}

/** Which are meant, and what is left out. */
function notesOf(
  request: BulkRequest,
  { changes, same, not, unseen, isShort, which }: BulkPlan,
  { note, folded }: { note: string | undefined; folded: number },
): string[] {
  return [
    note,
    // Those that mail an address are named by it in the question.
    (request.to.onlyWhere === undefined || narrowedWords(request.meant) !== '') && `Which: ${which}.`,
    folded > SHOWN && `These are the first ${SHOWN} of ${grouped(folded)}.`,
    changes.length > 0 &&
      same > 0 &&
      `${grouped(same)} more ${same === 1 ? 'has' : 'have'} these values already.`,
    not.length > 0 &&
      `${grouped(not.length)} ${not.length === 1 ? 'is' : 'are'} left out, for the reasons below.`,
    unseen && `Others may match as well. ${unseen}`,
    isShort && 'So nothing can begin: show it again once the service lists all of them.',
  ].filter((line): line is string => typeof line === 'string')
}

function applyButton(what: BulkAction, count: number, line: string) {
  const label = `${BUTTONS[what]} ${grouped(count)}`
  if (what !== 'delete') return commandButton(label, line, { style: 'primary', inPlace: true })
  return commandButton(label, line, {
    style: 'danger',
    inPlace: true,
    confirm: {
      title: `Delete ${checks(count)}?`,
      text: `What is deleted is no longer checked, and nobody is told when it goes down. It can be undone for ${JOBS_KEPT_IN_WORDS}.`,
      confirm: 'Delete',
      danger: true,
    },
  })
}

/** Every health check that mails one address, page by page, and what can be done about all of them. */
export function mailedView(
  address: string,
  request: BulkRequest,
  { changes, not, unseen }: BulkPlan,
  { page, environment, now }: { page: number; environment: Environment; now: Date },
): Message {
  const { names, ...others } = request.meant
  const meant = names?.join() === '*' ? others : request.meant
  const count = changes.length
  const mailing = count + not.length
  const part = pageOf(changes, page, SHOWN)
  const shown = part.items
  const behind = [quoted(address), ...writeFields(MEANT, meant)].join(' ')
  const line = (to: number) => `/hc recipients ${behind}${to > 1 ? ` --page ${to}` : ''}`
  const rows = shown.map(({ row: [name, mails] }) => [
    clip(oneLine(name), CELL),
    clip(oneLine(mails.replace(/^mails |−/g, '')), CELL),
  ])
  return listPage({
    title:
      mailing === 0 ? `No health check mails ${address}` : `${address} is mailed about ${checks(mailing)}`,
    environment,
    place: [pageWords(part.page, part.pages), narrowedWords(meant)].filter(Boolean).join(' · '),
    rows: rows.map(([name = '', mails = '']) => lines([words(name, { bold: true }), `: ${mails}`])),
    table: rows.length > 0 ? table(['Name', 'Whom it mails'], rows) : undefined,
    notes: [
      ...(not.length > 0
        ? [
            `Not shown: ${grouped(not.length)} with recipients that cannot be read. Change those at the service itself.`,
          ]
        : []),
      ...(unseen ? [`Others may mail it as well. ${unseen}`] : []),
    ],
    ...besidePage(part, line),
    open: count > 0 ? [commandButton('Replace…', `/hc bulk ${bulkLine(request)}`), openAlerts(shown)] : [],
    controls: [],
    more:
      count > 0
        ? [
            ...(count > 1
              ? [commandButton(`All ${grouped(count)} as a file`, `/hc bulk-file ${bulkLine(request)}`)]
              : []),
            commandButton('Remove everywhere', `/hc recipients ${behind} --remove`),
          ]
        : [],
    now,
  })
}

const openAlerts = (shown: BulkPlan['changes']) =>
  commandMenu(
    'Open alerts of…',
    shown.flatMap(({ change }) =>
      change.do === 'create'
        ? []
        : [
            {
              label: clip(oneLine(changedName(change)), CELL) || change.uuid,
              value: `/hc alerts ${quoted(change.uuid)}`,
            },
          ],
    ),
    { inPlace: false },
  )
