import { clip, commandButton, type Message, oneLine } from '@signalman/slack'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { plannedOf } from '../changes/start-changes.ts'
import { checks, saying } from '../changes/views.ts'
import type { Plan } from './plan.ts'
import type { BadCell } from './read-file.ts'
import { NAMED } from './report.ts'

/** What a dry run found. `hasReport`, `hasPlan`: all faults, and all changes, went to the person as a file. */
export interface Checked {
  fileName: string
  fileId: string
  deletes: boolean
  plan: Plan
  hasReport: boolean
  hasPlan: boolean
}

const FILE_NAME = 80

const named = (fileName: string): string => clip(oneLine(fileName), FILE_NAME) || 'the file'

/** `Line 7, port: Give a whole number…`, the first ten. */
function faultLines(bad: readonly BadCell[], hasReport: boolean): string[] {
  const lines = bad
    .slice(0, NAMED)
    .map(
      ({ line, column, says }) => `Line ${line}, ${clip(oneLine(column), 40)}: ${clip(oneLine(says), 180)}`,
    )
  const more = bad.length - lines.length
  if (more <= 0) return lines
  const where = hasReport
    ? 'all of them are in the file in your direct messages with Signalman'
    : 'mend these first'
  return [...lines, `And ${grouped(more)} more; ${where}.`]
}

/** The first ten changes, row by row. */
function planLines({ changes }: Plan, hasPlan: boolean): string[] {
  const lines = changes.slice(0, NAMED).map(({ says }) => `• ${clip(oneLine(says), 180)}`)
  const more = changes.length - lines.length
  if (more <= 0) return lines
  return [
    ...lines,
    `And ${grouped(more)} more${hasPlan ? '; all of them are in the file in your direct messages' : ''}.`,
  ]
}

/** The outcome of the dry run; `jobId` is undefined when there is nothing to do, or when it is only compared. */
export function checkedView(jobId: string | undefined, checked: Checked, environment: Environment): Message {
  const { fileName, fileId, deletes, plan, hasReport, hasPlan } = checked
  const planned = plannedOf(plan.changes)
  const badRows = new Set(plan.bad.map(({ line }) => line)).size
  const compare = `/hc compare ${fileId}${deletes ? ' --delete' : ''}`
  return saying(
    [
      `Read ${named(fileName)}${badgeOf(environment)}. Nothing was created yet.`,
      `${checks(planned.create)} would be created.`,
      planned.edit > 0 && `${checks(planned.edit)} would be changed.`,
      planned.delete > 0 && `${checks(planned.delete)} would be deleted.`,
      plan.same > 0 &&
        `${checks(plan.same)} of it ${plan.same === 1 ? 'is' : 'are'} there already and left alone.`,
      ...planLines(plan, hasPlan),
      plan.keptBecause,
      badRows > 0 &&
        `${counted(badRows, 'row')} cannot be used, and ${badRows === 1 ? 'is' : 'are'} left out:`,
      ...faultLines(plan.bad, hasReport),
    ],
    ...(jobId === undefined
      ? []
      : [
          commandButton(applyLabel(planned), `/hc import-start ${jobId}`, {
            style: planned.delete > 0 ? 'danger' : 'primary',
            inPlace: true,
          }),
        ]),
    commandButton('Choose another file', '/hc import'),
    commandButton('Compare again', compare, { inPlace: jobId === undefined }),
  )
}

function applyLabel({ create, edit, delete: gone }: ReturnType<typeof plannedOf>): string {
  const parts = [
    create > 0 && `create ${grouped(create)}`,
    edit > 0 && `change ${grouped(edit)}`,
    gone > 0 && `delete ${grouped(gone)}`,
  ].filter((part) => part !== false)
  const label = parts.join(', ')
  return label.charAt(0).toUpperCase() + label.slice(1)
}
