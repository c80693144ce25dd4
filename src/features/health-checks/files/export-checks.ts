import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { choice } from '../../../bot/grammar/slots.ts'
import { LISTED_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { JobKind, JobRun, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../../bot/typed/fields.ts'
import { csvText } from '../../../domain/csv.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatCount } from '../../../domain/wording.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { mapConcurrently } from '../many/settle-each.ts'
import { countChecks, textCard } from '../many/views.ts'
import { toNameQuery } from '../name-filter.ts'
import { describeFilters, SERVICE_FILTERS } from '../parse.ts'
import type { ServiceFilters } from '../rules/listing.ts'
import { exists } from '../write/write-row.ts'
import { HEADER, toCells } from './format.ts'

export const EXPORT_KIND = 'health-checks.export'

/** How many pages of 500 checks are fetched in parallel. More would need too much memory. */
const PAGES_AHEAD = 4

/** Writes every matching check to a file on disk, page by page to limit memory, and uploads it. */
export const exportJob: JobKind<ServiceFilters> = {
  kind: EXPORT_KIND,
  verb: '/hc export',
  needs: 'operator',
  isReadOnly: true,
  async run(run) {
    const { environment, now } = run.context
    const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
    try {
      const path = join(folder, 'health-checks.csv')
      const written = await writeExport(run, path)
      const message = exportedView(written, run.details, environmentSuffix(environment))
      if (written.rows === 0) return { message, isDone: true }
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
  const { query, matches = () => true } = await toNameQuery(api, details)
  const found = { rows: 0, unreadable: 0 }
  const totals = new Set<number>()
  let listed = 0
  // A check added in the meantime pushes others to the next page.
  let previous = new Set<string>()
  for await (const page of api.healthChecks.listAll(
    { ...query, sort: 'uuid' },
    { signal, concurrency: PAGES_AHEAD },
  )) {
    const unseen = page.results.filter((check) => !previous.has(check.uuid))
    const fresh = unseen.filter(matches)
    listed += unseen.length + page.unreadable
    previous = new Set(page.results.map(({ uuid }) => uuid))
    const rows = (await mapConcurrently(fresh, (check) => readCells(api, check, signal))).flatMap(
      (cells) => cells ?? [],
    )
    await file.writeFile(csvText(rows))
    found.rows += rows.length
    found.unreadable += page.unreadable
    totals.add(page.total)
    await showProgress(
      textCard([
        `Exporting health checks${environmentSuffix(context.environment)}: ${formatCount(found.rows)}…`,
      ]),
    )
  }
  const [total = 0] = totals
  return { ...found, isUnchanged: totals.size <= 1, missing: Math.max(0, total - listed) }
}

/** Reads the details, because the list may not show everything. Undefined if the check was deleted in the meantime. */
async function readCells(api: Api, row: HealthCheck, signal: AbortSignal): Promise<string[][] | undefined> {
  try {
    const [check, alerts] = await Promise.all([
      api.healthChecks.get(row.uuid, signal),
      api.alerts.list(row.uuid, signal),
    ])
    return [toCells(row.uuid, check, alerts)]
  } catch (error) {
    // A 404 for the alerts doesn't prove that the check was deleted, and a file without it would be called whole.
    if (!isNotFound(error) || (await exists(api, row.uuid))) throw error
    return undefined
  }
}

function exportedView(
  { rows, unreadable, isUnchanged, missing }: Awaited<ReturnType<typeof writeExport>>,
  filters: ServiceFilters,
  suffix: string,
): Message {
  const only = describeFilters(filters)
  return textCard([
    rows === 0
      ? `No health checks${suffix} match, so there’s nothing to export.`
      : `Exported ${missing > 0 ? 'only ' : ''}${countChecks(rows)}${suffix} to the file below.`,
    ...(only ? [`Only ${only}.`] : []),
    ...(unreadable > 0 ? [`Left out: ${formatCount(unreadable)} that Signalman couldn’t read.`] : []),
    ...(missing > 0 && isUnchanged
      ? [
          `The service listed only a part: ${formatCount(missing)} more ${missing === 1 ? 'is' : 'are'} missing. Export again for a complete list.`,
        ]
      : []),
    ...(isUnchanged
      ? []
      : [
          'The service’s list changed during the export, so some health checks may be missing. Export again for a complete list.',
        ]),
  ])
}

/** `/hc export`. */
export const exportCommand = ({ queue }: { queue: Queue }): VerbDeclaration => ({
  line: '/hc export',
  // There's no other format.
  slots: [choice('format', { csv: 'csv' }, { usage: '' }), ...LISTED_CHECKS],
  description: 'Send yourself the matching health checks and their alerts as a CSV file',
  needs: 'operator',
  isAct: true,
  flags: flagSpecs(SERVICE_FILTERS),
  async run(context, { flags }) {
    // Throws if no token is stored.
    await context.api()
    const previous = await queue.addUnlessOpen(context, {
      kind: EXPORT_KIND,
      details: readFields(SERVICE_FILTERS, flags),
    })
    if (previous)
      throw new UserError(
        'Your previous export is still waiting or running. After that, you can export again.',
      )
    return textCard(['Started. I’ll send you the file in a DM.'])
  },
})
