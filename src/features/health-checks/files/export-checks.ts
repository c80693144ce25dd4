import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { LISTED_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { JobKind, JobRun, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../../bot/typed/fields.ts'
import { csvText } from '../../../domain/csv.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { formatCount } from '../../../domain/wording.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { mapConcurrently } from '../many/settle-each.ts'
import { countChecks, textCard } from '../many/views.ts'
import { describeFilters, SERVICE_FILTERS } from '../parse.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import type { ServiceFilters } from '../rules/listing.ts'
import { nameMatches } from '../rules/matching.ts'
import { exists } from '../write/write-row.ts'
import { HEADER, toCells } from './format.ts'

const EXPORT_KIND = 'health-checks.export'

/** How many checks are read in full before they are written to the file, to limit memory. */
const PAGE_SIZE = 500

/** Writes every matching check to a file on disk, and uploads it. */
export const exportJob: JobKind<ServiceFilters> = {
  kind: EXPORT_KIND,
  verb: '/hc export',
  needs: 'operator',
  async run(run) {
    const { environment, now } = run.context
    const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
    try {
      const path = join(folder, 'health-checks.csv')
      const written = await writeExport(run, path)
      const message = exportedView(written, run.details, environmentSuffix(environment))
      // An empty file could be taken for a backup.
      if (written.rows === 0 && describeFilters(run.details)) return { message, isDone: true }
      const day = now.toISOString().slice(0, 10)
      const name = `health-checks${environment === 'ote' ? '-ote' : ''}-${day}.csv`
      const { size } = await stat(path)
      await run.upload({ name, title: name, bytes: size, body: createReadStream(path) })
      return { message, isDone: true }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function writeExport({ context, details, signal, showProgress }: JobRun<ServiceFilters>, path: string) {
  const api = await context.api()
  await using file = await open(path, 'w', 0o600)
  // Unlike `write`, `writeFile` continues after a partial write, so a full disk is an error. It appends, because the handle has a position.
  await file.writeFile(HEADER)
  const { name, ...query } = details
  const list = await readAllChecks(api.healthChecks, signal, query)
  if (!list) throw new UserError(LIST_KEEPS_CHANGING)
  // The service finds a name only as it's written, and documents a `*` only at the end.
  const found = list.checks.filter((check) => name === undefined || isNamed(check, name))
  let rows = 0
  for (let start = 0; start < found.length; start += PAGE_SIZE) {
    const page = found.slice(start, start + PAGE_SIZE)
    const cells = (await mapConcurrently(page, (check) => readCells(api, check, signal))).flat()
    await file.writeFile(csvText(cells))
    rows += cells.length
    await showProgress(async () =>
      textCard([`Exporting health checks${environmentSuffix(context.environment)}: ${formatCount(rows)}…`]),
    )
  }
  return { rows, incomplete: explainIncomplete(list) }
}

/** A name without a `*` stands for every name that contains it, as people see them. */
const isNamed = (check: HealthCheck, name: string): boolean =>
  name.includes('*') ? nameMatches(name, check.name) : foldName(check.name).includes(foldName(name))

/** Reads the details, because the list may not show everything. Empty if the check was deleted in the meantime. */
async function readCells(api: Api, row: HealthCheck, signal: AbortSignal): Promise<string[][]> {
  try {
    const [check, alerts] = await Promise.all([
      api.healthChecks.get(row.uuid, signal),
      api.alerts.list(row.uuid, signal),
    ])
    return [toCells(row.uuid, check, alerts)]
  } catch (error) {
    // A 404 for the alerts doesn't prove that the check was deleted, and a file without it would be called whole.
    if (!isNotFound(error) || (await exists(api, row.uuid))) throw error
    return []
  }
}

function exportedView(
  { rows, incomplete }: Awaited<ReturnType<typeof writeExport>>,
  filters: ServiceFilters,
  suffix: string,
): Message {
  const only = describeFilters(filters)
  return textCard([
    rows === 0
      ? only
        ? `No health checks${suffix} match, so there’s no file.`
        : `There are no health checks${suffix}, so the file has only the columns, to fill in and import.`
      : `Exported ${incomplete ? 'only ' : ''}${countChecks(rows)}${suffix} to the file below.`,
    ...(only ? [`Only ${only}.`] : []),
    ...(incomplete ? [incomplete] : []),
  ])
}

/** `/hc export`. */
export const exportCommand = ({ queue }: { queue: Queue }): VerbDeclaration => ({
  line: '/hc export',
  parameters: LISTED_CHECKS,
  description: 'Send yourself the matching health checks and their alerts as a CSV file',
  needs: 'operator',
  isAct: true,
  flags: flagSpecs(SERVICE_FILTERS),
  async run(context, { flags }) {
    // Throws if no token is stored.
    await context.api()
    const details = readFields(SERVICE_FILTERS, flags)
    const only = describeFilters(details)
    if (!(await queue.addUnlessOpen(context, { kind: EXPORT_KIND, details })))
      throw new UserError(
        'Your previous export is still waiting or running. After that, you can export again.',
      )
    return textCard([
      `Started. I’ll send you the file in a DM.${only && ` It will have only these health checks: ${only}.`}`,
    ])
  },
})
