import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Line,
  lines,
  type Message,
  oneLine,
  section,
  table,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { JOBS_KEPT_TEXT } from '../../../bot/retention/sweeping.ts'
import { describeFields, writeFields } from '../../../bot/typed/fields.ts'
import { describePage, listPage, neighborPages, slicePage } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { findUuid } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, formatList } from '../../../domain/wording.ts'
import type { BulkPlan, PreviewRow } from '../rules/bulk-plan.ts'
import type { Step } from '../rules/change.ts'
import { ADDRESS_ANSWERS } from '../rules/server-address.ts'
import { ADDRESS_ANSWER_LABELS, countChecks, howToFindOut } from '../views/words.ts'
import {
  type BulkAction,
  type BulkChanges,
  type BulkRequest,
  CHANGE_FIELDS,
  describeAction,
  describeBulkFilter,
  describeRecipientChange,
  FILTER_FIELDS,
  formatBulkRequest,
  listRemovedAddresses,
} from './parse.ts'

/** Rows in a message. The file has all of them. */
const MAX_ROWS = 15
const MAX_CELL_LENGTH = 100

const APPLY_LABELS: Readonly<Record<BulkAction, string>> = {
  edit: 'Set',
  delete: 'Delete',
  clone: 'Copy',
  recipients: 'Change',
}

/** The job's title, shown while it runs and in the audit log. */
export const formatJobTitle = (request: BulkRequest, matchText: string): string =>
  clip(oneLine(`${describeAction(request)} ${matchText}`), 300)

/** Completes `3 health checks are …` once the change is done. */
export function describeNewState({ action, changes }: BulkRequest): string {
  if (action === 'delete') return 'deleted'
  if (action === 'clone') return 'copied'
  if (action === 'recipients') {
    const { add = [] } = changes
    const removed = listRemovedAddresses(changes).join(', ')
    if (add.length === 0) return `no longer emailing ${removed}`
    return `now emailing ${add.join(', ')}${removed ? `, not ${removed}` : ''}`
  }
  return changesOnlyFrequency(changes)
    ? `now checked every ${changes.frequency} s`
    : `changed: ${describeFields(CHANGE_FIELDS.edit, changes).join(', ')}`
}

const changesOnlyFrequency = (changes: BulkChanges): boolean => Object.keys(changes).join() === 'frequency'

/** The preview of a change: a question, each check before and after, and the button that applies it. */
export function previewView(
  request: BulkRequest,
  plan: BulkPlan,
  environment: Environment,
  note?: string,
): Message {
  const { steps, leftOut, isStartBlocked, unknownAddresses } = plan
  const canBegin = steps.length > 0 && !isStartBlocked
  const mergedRows = mergeRows(plan.rows)
  const isAllShown =
    mergedRows.length <= MAX_ROWS &&
    leftOut.length <= MAX_ROWS &&
    mergedRows.every(({ listsAllNames }) => listsAllNames)
  const line = (verb: string) => `/hc ${verb} ${formatBulkRequest(request)}`
  const rows = [
    ...mergedRows.slice(0, MAX_ROWS).map(({ row }) => formatRow(request.action, row)),
    ...leftOutLines(leftOut),
  ]
  return card({
    headline: [
      formatPreviewQuestion(request, plan, environmentSuffix(environment)),
      plan.droppedRecipients.length > 0 && request.action !== 'delete'
        ? ` ${describeDroppedRecipients(plan.droppedRecipients.length)}`
        : '',
      steps.length + unknownAddresses.length > 0 ? ' Nothing has changed yet.' : '',
    ],
    notes: previewNotes(request, plan, { note, rowCount: mergedRows.length }),
    body: [rows.length > 0 ? [lines(...rows)] : [], needAnswerBlocks(request, leftOut)],
    smallPrint: unknownAddresses.length > 0 ? [howToFindOut(environment)] : [],
    controls: [
      ...(canBegin
        ? [applyButton(request.action, steps.length, `${line('bulk-apply')} --seen ${plan.digest}`)]
        : []),
      ...addressButtons(request, plan),
      ...(canBegin ? [commandButton('Cancel', '/hc bulk-cancel', { inPlace: true })] : []),
      ...(plan.matchCount === 0 ? [commandButton('All health checks', '/hc list')] : []),
    ],
    moreControls: [
      commandButton('Edit this change', line('bulk')),
      ...(isAllShown
        ? []
        : [commandButton(`All ${formatCount(steps.length + leftOut.length)} as a file`, line('bulk-file'))]),
      ...similarButtons(request, plan),
    ],
  })
}

/** Buttons that repeat the request with a similar name. */
const similarButtons = (request: BulkRequest, { similarNames }: BulkPlan) =>
  similarNames.map((name) =>
    commandButton(
      `Use ${clip(oneLine(name), 60)}`,
      `/hc bulk ${formatBulkRequest({ ...request, filter: { ...request.filter, names: [name] } })}`,
    ),
  )

/** Buttons that answer what to save as the unknown server addresses, for all checks in the preview at once. */
function addressButtons(request: BulkRequest, { unknownAddresses, addressDigest }: BulkPlan) {
  if (unknownAddresses.length === 0) return []
  const requestText = formatBulkRequest(request)
  return ADDRESS_ANSWERS.map((answer) =>
    commandButton(
      ADDRESS_ANSWER_LABELS[answer],
      `/hc bulk-address ${requestText} --answer ${answer} --seen ${addressDigest}`,
      { inPlace: true },
    ),
  )
}

/**
 * The checks that need an answer, with a menu of them. Each opens the preview of the same change for that check alone. The menu isn't
 * next to the buttons, because a message has at most five controls, and one of them is Cancel.
 */
function needAnswerBlocks(request: BulkRequest, leftOut: BulkPlan['leftOut']): KnownBlock[] {
  const names = leftOut
    .slice(0, MAX_ROWS)
    .flatMap(({ name, needsAddress }) => (needsAddress ? [shortName(name)] : []))
  if (names.length === 0) return []
  const choices = leftOut.flatMap(({ name, uuid, needsAddress }) =>
    needsAddress && uuid !== undefined
      ? [
          {
            label: oneLine(name),
            value: `/hc ${formatBulkRequest({ ...request, filter: { names: [uuid] } })}`,
          },
        ]
      : [],
  )
  return [
    section(
      `Need an answer: ${names.join(', ')}`,
      choices.length > 1 ? commandMenu('Ask per check…', choices, { inPlace: false }) : undefined,
    ),
  ]
}

const shortName = (name: string): string => clip(oneLine(name), 80)

/** Says “some”, because these people may still get emails about other health checks. */
export const describeDroppedRecipients = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'person' : 'people'} will stop getting some alert emails.`

/** The most characters of a name that is listed with others. Short enough that the number of the others fits too. */
const MAX_LISTED_NAME = 60

/** Merges rows with the same change into one that lists as many names as fit in a cell, and counts the others. */
function mergeRows(rows: readonly PreviewRow[]): { row: readonly string[]; listsAllNames: boolean }[] {
  const groups = new Map<string, { names: string[]; values: readonly string[] }>()
  for (const [name, ...values] of rows) {
    const group = groups.get(JSON.stringify(values))
    if (group) group.names.push(name)
    else groups.set(JSON.stringify(values), { names: [name], values })
  }
  return [...groups.values()].map(({ names, values }) => {
    const maxLength = names.length > 1 ? MAX_LISTED_NAME : MAX_CELL_LENGTH
    const format = (count: number) => formatList(names, count, (name) => clip(oneLine(name), maxLength))
    const lastFitting = names.findLastIndex((_, index) => format(index + 1).length <= MAX_CELL_LENGTH)
    const count = Math.max(1, lastFitting + 1)
    return { row: [format(count), ...values], listsAllNames: count === names.length }
  })
}

/** `Shop cache · every 120 s → 30 s`, or without the result if the question already says it. */
function formatRow(action: BulkAction, row: readonly string[]): Line {
  const [name = '', before = '', after = ''] = row.map((cell) => clip(oneLine(cell), MAX_CELL_LENGTH))
  const [word = ''] = /^\S+ /.exec(before) ?? []
  const result = word && after.startsWith(word) ? after.slice(word.length) : after
  const change = action === 'delete' ? before : [before, result].filter(Boolean).join(' → ')
  return [textElement(name, { bold: true }), ` · ${change}`]
}

/** The checks that are left out, with the reason. Those that need an answer come after them. */
const leftOutLines = (leftOut: BulkPlan['leftOut']): Line[] => [
  ...[
    ...Map.groupBy(leftOut.slice(0, MAX_ROWS), ({ needsAddress, reason }) => (needsAddress ? '' : reason)),
  ].flatMap(([reason, group]): Line[] =>
    reason ? [`Left out: ${group.map(({ name }) => shortName(name)).join(', ')}: ${reason}`] : [],
  ),
  ...(leftOut.length > MAX_ROWS
    ? [`And ${formatCount(leftOut.length - MAX_ROWS)} more. The file lists all of them.`]
    : []),
]

/** The name that alone selects the checks, if it can be part of the question. */
const findOnlyName = ({ filter: { names = [], ...others } }: BulkRequest): string | undefined =>
  names.length === 1 && describeBulkFilter(others) === '' && !findUuid(names[0]) ? names[0] : undefined

/** `2 of 11 “Shop*” health checks (OTE)`. */
function countSelected(
  request: BulkRequest,
  { matchCount }: BulkPlan,
  count: number,
  suffix: string,
): string {
  const name = findOnlyName(request)
  const total = count < matchCount ? ` of ${formatCount(matchCount)}` : ''
  const quotedName = name === undefined || name === '*' ? '' : ` “${clip(oneLine(name), 60)}”`
  const noun = (total ? matchCount : count) === 1 ? 'health check' : 'health checks'
  return `${formatCount(count)}${total}${quotedName} ${noun}${suffix}`
}

/** `Set 2 of 11 “Shop*” health checks to every 30 s?`, or why there is nothing to do yet. */
function formatPreviewQuestion(request: BulkRequest, plan: BulkPlan, suffix: string): string {
  const { action, changes } = request
  const unknown = plan.unknownAddresses.length
  if (plan.steps.length === 0 && unknown > 0)
    return `${countSelected(request, plan, unknown, suffix)} ${unknown === 1 ? 'needs' : 'need'} an answer first.`
  if (plan.steps.length === 0) return describeNothingToDo(plan, suffix)
  const selected = countSelected(request, plan, plan.steps.length, suffix)
  if (action === 'delete') return `Delete ${selected}, with their alerts?`
  if (action === 'recipients') return `${describeRecipientChange(changes, ` about ${selected}`)}?`
  if (action === 'clone') {
    const customer = changes.customerId === undefined ? '' : ` and for customer ${changes.customerId}`
    return `Copy ${selected}, with “${(changes.suffix ?? '').trim()}” added to ${plan.steps.length === 1 ? 'its name' : 'their names'}${customer}?`
  }
  return changesOnlyFrequency(changes)
    ? `Set ${selected} to every ${changes.frequency} s?`
    : `Set ${describeFields(CHANGE_FIELDS.edit, changes).join(', ')} for ${selected}?`
}

/** If some checks may be missing from the plan, says only what was found. */
function describeNothingToDo(
  { matchCount, unchangedCount, similarNames, incompleteReason }: BulkPlan,
  suffix: string,
): string {
  if (matchCount === 0)
    return `Nothing to do: ${incompleteReason ? `Signalman found no health check${suffix} that` : `no health check${suffix}`} matches.${similarNames.length === 0 ? '' : ` Did you mean ${formatList(similarNames, MAX_ROWS, oneLine)}?`}`
  if (unchangedCount < matchCount)
    return `Nothing to do: none of the matching health checks${suffix} can be changed.`
  if (unchangedCount === 1)
    return `Nothing to change: the matching health check${suffix} already has these values.`
  const found = `${incompleteReason ? '' : 'all '}${formatCount(unchangedCount)} matching health checks${suffix}`
  return `Nothing to change: ${found} already have these values.`
}

/** Says which checks match, and which of them don't change. */
function previewNotes(
  request: BulkRequest,
  plan: BulkPlan,
  { note, rowCount }: { note: string | undefined; rowCount: number },
): string[] {
  const { incompleteReason, isStartBlocked, matchText, subsidiaries } = plan
  return [
    note,
    // If the checks are filtered only by a name or a recipient, the question already has it.
    findOnlyName(request) === undefined &&
      (request.changes.onlyWhere === undefined || describeBulkFilter(request.filter) !== '') &&
      `Filter: ${matchText}.`,
    rowCount > MAX_ROWS && `These are the first ${MAX_ROWS} of ${formatCount(rowCount)}.`,
    describeSubsidiaries(request, subsidiaries),
    describeOthers(plan),
    incompleteReason && `Others may match too. ${incompleteReason}`,
    isStartBlocked && 'Nothing can start until the service lists all of them. Try again in a minute.',
  ].filter((line): line is string => typeof line === 'string')
}

/** `3 already have it · 6 need one answer: was their server address set by hand, or does it come from DNS?` */
function describeOthers({ steps, unchangedCount, leftOut, unknownAddresses }: BulkPlan): string | false {
  const unknown = unknownAddresses.length
  const omitted = leftOut.length - unknown
  const parts = [
    steps.length + unknown > 0 &&
      unchangedCount > 0 &&
      `${formatCount(unchangedCount)} already ${unchangedCount === 1 ? 'has' : 'have'} it`,
    omitted > 0 && `${formatCount(omitted)} ${omitted === 1 ? 'is' : 'are'} left out`,
    unknown > 0 && describeQuestion(unknown, steps.length > 0),
  ].filter((part) => part !== false)
  return parts.length > 0 && parts.join(' · ')
}

/** The question about unknown server addresses. `isCounted`: says how many, unless the headline does. */
function describeQuestion(unknown: number, isCounted: boolean): string {
  const its = unknown === 1 ? 'its' : 'their'
  const question = `server address set by hand, or does it come from DNS?`
  return isCounted
    ? `${formatCount(unknown)} ${unknown === 1 ? 'needs' : 'need'} one answer: was ${its} ${question}`
    : `Was ${its} ${question}`
}

/** `12 of them belong to subsidiaries of customer 1000: customers 1100, 1110.` */
function describeSubsidiaries(
  { filter }: BulkRequest,
  { count, customers }: BulkPlan['subsidiaries'],
): string | false {
  if (count === 0) return false
  const [belong, noun] = [
    count === 1 ? 'belongs' : 'belong',
    customers.length === 1 ? 'customer' : 'customers',
  ]
  return `${formatCount(count)} of them ${belong} to subsidiaries of customer ${filter.customerId}: ${noun} ${formatList(customers.map(String), 10, String)}. Add --no-subsidiaries to leave them out.`
}

function applyButton(action: BulkAction, count: number, line: string) {
  const label = `${APPLY_LABELS[action]} ${formatCount(count)}`
  if (action !== 'delete') return commandButton(label, line, { style: 'primary', inPlace: true })
  return commandButton(label, line, {
    style: 'danger',
    inPlace: true,
    confirm: {
      title: `Delete ${countChecks(count)}?`,
      text: `The service stops checking what you delete, and no one is notified when it goes down. You can undo this for ${JOBS_KEPT_TEXT}.`,
      confirm: 'Delete',
      danger: true,
    },
  })
}

/** Every health check that emails an address, page by page, with buttons that replace or remove it. */
export function recipientChecksView(
  address: string,
  request: BulkRequest,
  { steps, rows: all, leftOut, incompleteReason }: BulkPlan,
  { page, environment, now }: { page: number; environment: Environment; now: Date },
): Message {
  const { names, ...others } = request.filter
  const filter = names?.join() === '*' ? others : request.filter
  const count = steps.length
  const mailingCount = count + leftOut.length
  const currentPage = slicePage(
    all.map((row, index) => ({ row, step: steps[index] })),
    page,
    MAX_ROWS,
  )
  const shown = currentPage.items
  const args = [quoted(address), ...writeFields(FILTER_FIELDS, filter)].join(' ')
  const line = (to: number) => `/hc recipients ${args}${to > 1 ? ` --page ${to}` : ''}`
  // Each row comes from a plan to remove the address: `emails −ann@example.com, bob@example.com`.
  const rows = shown.map(({ row: [name, emails] }) => [
    clip(oneLine(name), MAX_CELL_LENGTH),
    clip(oneLine(emails.replace(/^emails |−/g, '')), MAX_CELL_LENGTH),
  ])
  return listPage({
    title:
      mailingCount === 0
        ? `${incompleteReason ? 'Signalman found no health check that' : 'No health check'} emails ${address}`
        : `${address} gets emails about ${countChecks(mailingCount)}`,
    environment,
    subtitle: [describePage(currentPage.page, currentPage.pages), describeBulkFilter(filter)]
      .filter(Boolean)
      .join(' · '),
    rows: rows.map(([name = '', emails = '']) => lines([textElement(name, { bold: true }), `: ${emails}`])),
    table: rows.length > 0 ? table(['Name', 'Recipients'], rows) : undefined,
    notes: [
      ...(leftOut.length > 0
        ? [
            `Not shown: ${formatCount(leftOut.length)} with recipients that can’t be read. Change those in the service.`,
          ]
        : []),
      ...(incompleteReason ? [`Other health checks may also email this address. ${incompleteReason}`] : []),
    ],
    ...neighborPages(currentPage, line),
    openMenu:
      count > 0
        ? [commandButton('Replace…', `/hc bulk ${formatBulkRequest(request)}`), openAlertsMenu(shown)]
        : [],
    controls: [],
    moreControls:
      count > 0
        ? [
            ...(count > 1
              ? [
                  commandButton(
                    `All ${formatCount(count)} as a file`,
                    `/hc bulk-file ${formatBulkRequest(request)}`,
                  ),
                ]
              : []),
            commandButton('Remove everywhere', `/hc recipients ${args} --remove`),
          ]
        : [],
    now,
  })
}

const openAlertsMenu = (shown: readonly { step: Step | undefined }[]) =>
  commandMenu(
    'Open alerts of…',
    shown.flatMap(({ step }) =>
      step === undefined || step.do === 'create'
        ? []
        : [
            {
              label: clip(oneLine(step.name), MAX_CELL_LENGTH) || step.uuid,
              value: `/hc alerts ${quoted(step.uuid)}`,
            },
          ],
    ),
    { inPlace: false },
  )
