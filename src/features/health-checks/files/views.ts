import { clip, commandButton, type Message, oneLine } from '@signalman/slack'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { formatCount, formatList, pluralize } from '../../../domain/wording.ts'
import { describeDroppedRecipients } from '../bulk/views.ts'
import { describeUnusedColumn } from '../rules/columns.ts'
import type { BadCell, FilePlan } from '../rules/file.ts'
import { textCard } from '../views/job.ts'
import { MAX_LISTED } from '../views/words.ts'

export interface CheckedFile {
  fileName: string
  plan: FilePlan
  /** True if a file with all problems was sent. */
  hasReport: boolean
  /** True if a file with all changes was sent. */
  hasPlan: boolean
}

const MAX_FILE_NAME_LENGTH = 80
const IN_THE_FILE = 'in the complete list that Signalman sent you in a DM'

const formatFileName = (fileName: string): string =>
  clip(oneLine(fileName), MAX_FILE_NAME_LENGTH) || 'the file'

/** The first ten problems, such as `Line 7, port: Enter a whole number…`. */
function faultLines(bad: readonly BadCell[], hasReport: boolean): string[] {
  const lines = bad
    .slice(0, MAX_LISTED)
    .map(
      ({ line, column, reason }) =>
        `Line ${line}, ${clip(oneLine(column), 40)}: ${clip(oneLine(reason), 180)}`,
    )
  const more = bad.length - lines.length
  if (more <= 0) return lines
  if (hasReport) return [...lines, `${formatCount(more)} more ${more === 1 ? 'is' : 'are'} ${IN_THE_FILE}.`]
  return [...lines, `${formatCount(more)} more will show up once you fix these.`]
}

/** The first ten changes, row by row. */
function planLines({ steps }: FilePlan, hasPlan: boolean): string[] {
  const lines = steps.slice(0, MAX_LISTED).map(({ summary }) => `• ${clip(oneLine(summary), 180)}`)
  const more = steps.length - lines.length
  if (more <= 0) return lines
  return [
    ...lines,
    `${formatCount(more)} more${hasPlan ? ` ${more === 1 ? 'is' : 'are'} ${IN_THE_FILE}` : ''}.`,
  ]
}

/** The preview of an import, with problems first. `jobId` is undefined if there is nothing to do. */
export function importPreviewView(
  jobId: string | undefined,
  checked: CheckedFile,
  environment: Environment,
): Message {
  const { plan, hasReport, hasPlan } = checked
  const planned = countChanges(plan)
  const faults = faultLines(plan.bad, hasReport)
  const { setByService, unknown } = plan.unused
  return textCard(
    [
      `${formatSummary(checked, environment)} ${plan.steps.length > 0 ? 'Nothing has changed yet.' : ''}`.trim(),
      ...(faults.length > 0 ? ['Left out, because of these problems:', ...faults] : []),
      ...unknown.slice(0, MAX_COLUMNS).map(describeUnusedColumn),
      unknown.length > MAX_COLUMNS &&
        `Also ignored: ${formatList(
          unknown.slice(MAX_COLUMNS).map(({ name }) => name),
          MAX_NAMES,
          (name) => clip(oneLine(name), 40),
        )}.`,
      ...(plan.steps.length > 0 ? ['The import will:', ...planLines(plan, hasPlan)] : []),
      setByService.length > 0 && `Ignored, because the service sets them: ${setByService.join(', ')}.`,
    ],
    ...(jobId === undefined
      ? []
      : [
          commandButton(applyLabel(planned), `/hc job-start ${jobId}`, {
            style: planned.delete > 0 ? 'danger' : 'primary',
            inPlace: true,
          }),
        ]),
    commandButton('Choose another file', '/hc import'),
  )
}

function countChanges({ steps }: FilePlan): { create: number; edit: number; delete: number } {
  const planned = { create: 0, edit: 0, delete: 0 }
  for (const { step } of steps) planned[step.do] += 1
  return planned
}

const MAX_COLUMNS = 10
const MAX_NAMES = 30

/** `19 rows in checks.csv: 14 new, 3 changed, 2 can’t be used.` */
function formatSummary({ fileName, plan }: CheckedFile, environment: Environment): string {
  const { create, edit, delete: deleted } = countChanges(plan)
  const bad = new Set(plan.bad.map(({ line }) => line)).size
  const rows = create + edit + deleted + plan.unchangedCount + bad
  const file = `${formatFileName(fileName)}${environmentSuffix(environment)}`
  if (plan.steps.length === 0 && bad === 0)
    return rows === 1
      ? `Nothing to change: the health check in ${file} already matches the service.`
      : `Nothing to change: all ${formatCount(rows)} health checks in ${file} already match the service.`
  const parts = [
    create > 0 && `${formatCount(create)} new`,
    edit > 0 && `${formatCount(edit)} changed`,
    bad > 0 && `${formatCount(bad)} can’t be used`,
    plan.unchangedCount > 0 && `${formatCount(plan.unchangedCount)} unchanged`,
    deleted > 0 && `${formatCount(deleted)} deleted`,
  ]
  const losses =
    plan.droppedRecipients.length > 0 ? ` ${describeDroppedRecipients(plan.droppedRecipients.length)}` : ''
  return `${pluralize(rows, 'row')} in ${file}: ${parts.filter(Boolean).join(', ')}.${losses}`
}

function applyLabel({ create, edit, delete: deleted }: ReturnType<typeof countChanges>): string {
  const parts = [
    create > 0 && `create ${formatCount(create)}`,
    edit > 0 && `change ${formatCount(edit)}`,
    deleted > 0 && `delete ${formatCount(deleted)}`,
  ].filter((part) => part !== false)
  const label = parts.join(', ')
  return label.charAt(0).toUpperCase() + label.slice(1)
}
