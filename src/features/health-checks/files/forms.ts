import { fileInput } from '../../../blocks/inputs.ts'
import { context, section } from '../../../blocks/layout.ts'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { Messaging, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { FieldErrors } from '../../../errors.ts'
import type { WorkSteps } from '../../../store/store.ts'
import { OPTIONAL, REQUIRED } from './columns.ts'
import { existingAmong } from './existing.ts'
import { IMPORT } from './import-job.ts'
import { type BadCell, keyOf, type Row, readFile } from './read-file.ts'
import { NAMED, reportOf } from './report.ts'
import { checkedView, type ImportAbout, startedView } from './views.ts'

export interface ImportParts {
  queue: Queue
  steps: WorkSteps
}

const MOST_BYTES = 10 * 1024 * 1024
const FORM = 'health-checks.import'

/** Asks for a file. Nothing is created by sending it in: what it would create is shown first. */
export const importModal = (isOte: boolean): Modal => ({
  title: 'Import health checks',
  form: { id: FORM, submit: 'Check the file' },
  blocks: [
    isOte ? [context('OTE test environment')] : [],
    section(
      'The file is read and checked first; nothing is created before you have seen what it would be. A file from /hc export can be used as it is.',
    ),
    fileInput('file', 'CSV file', {
      types: ['csv', 'txt', 'tsv'],
      hint: `The first line names the columns: ${REQUIRED.join(', ')}; also ${OPTIONAL.join(' and ')} where you need them. At most 10 MB.`,
    }),
  ],
})

/** The form of `importModal`: a dry run, whose outcome holds the button that creates. */
export function importForm({ queue, steps }: ImportParts): Form<string, undefined> {
  return {
    id: FORM,
    verb: '/hc import',
    needs: 'operator',
    working: 'Reading the file, and looking what of it is there already…',
    read(answers) {
      const [file] = answers.files('file')
      if (!file) throw new FieldErrors({ file: 'Choose a CSV file.' })
      return file
    },
    async submit(ask, fileId) {
      const slack = await ask.slack()
      const { name: fileName, bytes } = await slack.download(fileId, MOST_BYTES)
      const { rows, bad } = await readFile(bytes)
      const existing = await existingLines(ask, rows)
      const fresh = rows.filter(({ line }) => !existing.has(line))
      const about: ImportAbout = { fileName }
      const jobId =
        fresh.length > 0 ? await queue.add(ask, { kind: IMPORT, about, isPrepared: true }) : undefined
      if (jobId !== undefined) await steps.add(jobId, fresh)
      const hasReport = bad.length > NAMED && (await report(ask, bad, fileName))
      const found = { fileName, toCreate: fresh.length, existing: existing.size, bad, hasReport }
      return checkedView(jobId, found, ask.environment)
    },
  }
}

async function existingLines(ask: ServiceAccess, rows: readonly Row[]): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set()
  const { healthChecks } = await ask.api()
  const lines = new Map(rows.map(({ line, body }) => [keyOf(body), line]))
  const found = new Set<number>()
  for await (const page of existingAmong(healthChecks, lines)) for (const { line } of page) found.add(line)
  return found
}

/** False when Slack does not take it: what is named in the window has to do then. */
async function report(
  ask: Requester & Messaging,
  bad: readonly BadCell[],
  fileName: string,
): Promise<boolean> {
  try {
    const slack = await ask.slack()
    const posted = await ask.tell(
      ask.userId,
      startedView('Every problem in the file that you wanted to import:'),
    )
    await slack.upload(posted, await reportOf(bad, fileName))
    return true
  } catch {
    return false
  }
}
