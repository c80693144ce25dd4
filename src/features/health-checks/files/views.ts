import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import type { Environment } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { StepCounts } from '../../../store/store.ts'
import { badge } from '../views/summary.ts'
import type { BadCell } from './read-file.ts'
import { NAMED } from './report.ts'

/** What an import remembers beside its rows. */
export interface ImportAbout {
  fileName: string
}

/** What a dry run found. `hasReport`: all faults went to the person as a file. */
export interface Checked {
  fileName: string
  toCreate: number
  existing: number
  bad: readonly BadCell[]
  hasReport: boolean
}

/** How an import ended. `problem` is why it could not go on. */
export interface Ended {
  counts: StepCounts
  isStopped: boolean
  problem: string | undefined
  refused: readonly BadCell[]
  hasReport: boolean
}

type Button = ReturnType<typeof commandButton>

const FILE_NAME = 80

const checks = (count: number): string => counted(count, 'health check')
const named = (fileName: string): string => clip(oneLine(fileName), FILE_NAME) || 'the file'

function saying(lines: readonly (string | false | undefined)[], ...buttons: Button[]): Message {
  const text = lines.filter(Boolean).join('\n')
  return message(literal(text), section(text), actions(...buttons))
}

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

/** The outcome of the dry run; `jobId` is undefined when there is nothing to create. */
export function checkedView(
  jobId: string | undefined,
  { fileName, toCreate, existing, bad, hasReport }: Checked,
  environment: Environment,
): Message {
  const badRows = new Set(bad.map(({ line }) => line)).size
  return saying(
    [
      `Read ${named(fileName)}${badge(environment)}. Nothing was created yet.`,
      `${checks(toCreate)} would be created.`,
      existing > 0 &&
        `${checks(existing)} of it ${existing === 1 ? 'is' : 'are'} there already and left alone.`,
      badRows > 0 &&
        `${counted(badRows, 'row')} cannot be used, and ${badRows === 1 ? 'is' : 'are'} left out:`,
      ...faultLines(bad, hasReport),
    ],
    ...(jobId === undefined
      ? [commandButton('Choose another file', '/hc import')]
      : [
          commandButton(`Create ${grouped(toCreate)}`, `/hc import-start ${jobId}`, {
            style: 'primary',
            inPlace: true,
          }),
          commandButton('Choose another file', '/hc import'),
        ]),
  )
}

/** How far it is. */
export function importingView(
  jobId: string,
  { fileName }: ImportAbout,
  counts: StepCounts,
  environment: Environment,
): Message {
  const over = counts.done + counts.found + counts.refused
  return saying(
    [
      `Importing ${named(fileName)}${badge(environment)}: ${grouped(over)} of ${grouped(totalOf(counts))} rows.`,
      counts.refused > 0 && `${grouped(counts.refused)} were refused by the service.`,
    ],
    commandButton('Cancel', `/hc import-cancel ${jobId}`, { style: 'danger' }),
  )
}

const totalOf = ({ ready, begun, done, found, refused }: StepCounts): number =>
  ready + begun + done + found + refused

/** How it ended, and what can be done about what is left. */
export function importedView(
  jobId: string,
  { fileName }: ImportAbout,
  { counts, isStopped, problem, refused, hasReport }: Ended,
  environment: Environment,
): Message {
  const left = counts.ready + counts.begun
  const head = left === 0 ? 'Imported' : isStopped ? 'Cancelled: the import of' : 'Stopped: the import of'
  return saying(
    [
      `${head} ${named(fileName)}${badge(environment)}.`,
      problem,
      `${checks(counts.done)} created.`,
      counts.found > 0 && `${checks(counts.found)} had been there already and left alone.`,
      counts.refused > 0 && `${grouped(counts.refused)} refused by the service:`,
      ...faultLines(refused, hasReport),
      counts.begun > 0 &&
        `Of ${grouped(counts.begun)} the service did not say whether it created them; that is found out before they are tried again.`,
      left > 0 && `${grouped(left)} left. What was created stays; going on creates nothing twice.`,
    ],
    ...(left > 0 ? [commandButton('Go on', `/hc import-start ${jobId}`, { style: 'primary' })] : []),
    commandButton('List health checks', '/hc list'),
  )
}

/** What pressing Create, Go on or Cancel came to. */
export function startedView(sentence: string): Message {
  return saying([sentence])
}
