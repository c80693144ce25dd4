import { type Step, type Steps, tryOpen } from '@signalman/durable'
import { mapInSlices } from '@signalman/runtime'
import type { RowEnd } from '../rules/ends.ts'
import type { LeftOut } from '../rules/plan.ts'
import type { AddressNote, Row } from '../rules/row.ts'

/** A stored row, and how it ended. */
export interface StoredRow {
  readonly row: Row
  readonly end?: (RowEnd & { readonly note?: AddressNote | undefined }) | undefined
}

/** A row and the state of its step. */
export interface EndedRow extends StoredRow {
  readonly state: Step['state']
}

const PAGE_SIZE = 100

/** The stored row of a step; undefined if it can't be decrypted, or was left out. */
export function toStoredRow(step: Step): StoredRow | undefined {
  if (step.state === 'left-out') return undefined
  // Cast, because `addRows` and the job store these.
  const opened = tryOpen(() => step.body as StoredRow)
  return 'value' in opened ? nameEnd(opened.value) : undefined
}

/** How earlier versions stored the end of a row. */
type UnnamedEnd = Omit<NonNullable<StoredRow['end']>, 'is'> & {
  readonly state: 'done' | 'skipped' | 'unclear'
  readonly hasWritten?: boolean
}

function nameEnd({ row, end }: StoredRow): StoredRow {
  if (!end || 'is' in end) return { row, end }
  // Cast: this is the other form.
  const { state, hasWritten, ...rest } = end as UnnamedEnd
  const is = state === 'skipped' ? (hasWritten ? 'partly' : 'refused') : state
  const note = rest.note && row.do === 'edit' ? { ...rest.note, uuid: row.uuid } : undefined
  return { row, end: { ...rest, is, note } }
}

/** Stores the rows of a change as the steps of its job, and with them what it leaves out, for the file of its preview. */
export const addRows = (
  steps: Steps,
  jobId: string,
  rows: readonly Row[],
  leftOut: readonly LeftOut[],
): Promise<void> =>
  steps.add(jobId, [
    ...rows.map((row) => ({ line: row.line, body: { row } satisfies StoredRow })),
    ...leftOut.map((body) => ({ line: body.line, state: 'left-out' as const, body })),
  ])

/** The steps of a job by line, in pages, so that neither a job nor its file holds all of them, nor blocks other requests. */
export async function* listPages(
  steps: Steps,
  jobId: string,
  state?: Step['state'],
): AsyncGenerator<readonly Step[]> {
  for (let afterLine = 0; ; ) {
    const page = await steps.list(jobId, { ...(state && { state }), afterLine, limit: PAGE_SIZE })
    const last = page.at(-1)
    if (!last) return
    yield page
    afterLine = last.line
  }
}

/** Like `listPages`, with the rows. Omits those that can't be decrypted. */
export async function* listRows(steps: Steps, jobId: string): AsyncGenerator<readonly EndedRow[]> {
  for await (const page of listPages(steps, jobId)) {
    const rows = await mapInSlices(page, (step) => {
      const stored = toStoredRow(step)
      return stored ? [{ ...stored, state: step.state }] : []
    })
    yield rows.flat()
  }
}
