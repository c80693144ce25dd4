import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, literal, type Message, message, section } from '@signalman/slack'
import type { JobKind, JobRun } from '../../../bot/routes/routes.ts'
import { BOM, csvText } from '../../../domain/csv.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import type { Alert } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { createRowAddressReader, listAlertsUnlessGone, undefinedIfGone } from '../jobs/read-check.ts'
import { mapConcurrently } from '../jobs/settle-each.ts'
import { toNameQuery } from '../name-filter.ts'
import { type CheckFilters, describeFilters } from '../parse.ts'
import type { KnownAddresses } from '../rows/known-addresses.ts'
import type { Address } from '../rules/change.ts'
import { COLUMN_NAMES, toAlertCell, toCells, UNKNOWN_CELL } from '../rules/columns.ts'

type ExportCounts = Awaited<ReturnType<typeof writeExport>>

/** How many pages of 500 checks are fetched in parallel. More would need too much memory. */
const PAGES_AHEAD = 4

export const EXPORT_KIND = 'health-checks.export'

/** The options of an export. */
export interface ExportDetails extends CheckFilters {
  withAlerts: boolean
}

/** Writes every matching check to a file on disk, page by page to limit memory, and uploads it. */
export const exportJob = (knownAddresses: KnownAddresses): JobKind<ExportDetails> => ({
  kind: EXPORT_KIND,
  verb: '/hc export',
  needs: 'operator',
  isReadOnly: true,
  async run(run) {
    const { context, details: filters } = run
    const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
    try {
      const path = join(folder, `health-checks.csv`)
      const written = await writeExport(run, knownAddresses, path)
      // If the list changed in the meantime, matching checks may have been missed, so this sends the empty file with a warning.
      if (written.rows + written.unreadable === 0 && written.isUnchanged)
        return { message: nothingToExportView(filters, context.environment), isDone: true }
      const { size } = await stat(path)
      const day = context.now.toISOString().slice(0, 10)
      const name = `health-checks${context.environment === 'ote' ? '-ote' : ''}-${day}.csv`
      const title = `Health checks${environmentSuffix(context.environment)} ${day}`
      await run.showProgress(exportingView(written.rows, written.rows, filters, context.environment))
      await run.upload({ name, title, bytes: size, body: createReadStream(path) })
      return { message: exportedView(written, filters, context.environment), isDone: true }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
})

async function writeExport(
  { context, details: filters, signal, ...run }: JobRun<ExportDetails>,
  knownAddresses: KnownAddresses,
  path: string,
) {
  const api = await context.api()
  // `withAlerts` isn't a filter of the service.
  const { withAlerts, ...checkFilters } = filters
  await using file = await open(path, 'w', 0o600)
  // Unlike `write`, `writeFile` continues after a partial write, so a full disk is an error. It appends, because the handle has a position.
  await file.writeFile(formatExportHeader(withAlerts))
  /** Counts the rows, and records whether the list stayed unchanged during the export. */
  const counts = { rows: 0, unreadable: 0, unknownAddresses: 0, unknownAlerts: 0, isUnchanged: true }
  const addresses = knownAddresses.in(context)
  // A check added in the meantime pushes others to the next page. Skips those that are already written.
  let previousUuids = new Set<string>()
  let total: number | undefined
  const { query: named, matches = () => true } = await toNameQuery(api, checkFilters)
  const query = { ...named, sort: 'uuid' as const }
  let others = 0
  for await (const page of api.healthChecks.listAll(query, { signal, concurrency: PAGES_AHEAD })) {
    total ??= page.total
    const matching = page.results.filter(matches)
    others += page.results.length - matching.length
    const readRowAddress = await createRowAddressReader(addresses, matching)
    const newRows = matching.filter(({ uuid }) => !previousUuids.has(uuid))
    previousUuids = new Set(page.results.map(({ uuid }) => uuid))
    const readRow = (check: HealthCheck) => readExported(api, check, { withAlerts, signal })
    const rows = (await mapConcurrently(newRows, readRow)).filter((row) => row !== undefined)
    const exported = rows.map((row) => ({
      ...row,
      address: readRowAddress(row.row),
    }))
    await file.writeFile(formatExportRows(exported))
    counts.rows += exported.length
    counts.unknownAddresses += exported.filter(({ address }) => address.is === 'unknown').length
    counts.unknownAlerts += exported.filter(
      ({ alerts }) => alerts && toAlertCell(alerts) === UNKNOWN_CELL,
    ).length
    counts.unreadable += page.unreadable
    counts.isUnchanged &&= page.total === total
    await run.showProgress(exportingView(counts.rows, page.total - others, filters, context.environment))
  }
  counts.isUnchanged &&= counts.rows + counts.unreadable + others === total
  return counts
}

/** Adds details and alerts that the list doesn't have. Returns undefined if the check was deleted in the meantime. */
async function readExported(
  api: Api,
  row: HealthCheck,
  { withAlerts, signal }: { withAlerts: boolean; signal: AbortSignal },
): Promise<(ExportedCheck & { row: HealthCheck }) | undefined> {
  const lacksVerifySsl = row.verifySsl === undefined && row.protocol?.toUpperCase() === 'HTTPS'
  const check = lacksVerifySsl ? await api.healthChecks.get(row.uuid, signal).catch(undefinedIfGone) : row
  const alerts = check && withAlerts ? await listAlertsUnlessGone(api, row.uuid, signal) : undefined
  return check && (alerts || !withAlerts) ? { check, row, alerts } : undefined
}

function exportMessage(
  sentences: readonly string[],
  filters: CheckFilters,
  environment: Environment,
): Message {
  const filterText = describeFilters(filters)
  const notes = [environment === 'ote' && 'OTE test environment', filterText && `Only ${filterText}`]
  const note = notes.filter(Boolean).join(' · ')
  return message(
    literal([...sentences, note].filter(Boolean).join('\n')),
    section(sentences.join('\n')),
    note ? [context(note)] : [],
  )
}

function exportingView(
  rows: number,
  total: number,
  filters: CheckFilters,
  environment: Environment,
): Message {
  return exportMessage(
    [`Exporting health checks: ${formatCount(rows)} of ${formatCount(total)}…`],
    filters,
    environment,
  )
}

const nothingToExportView = (filters: CheckFilters, environment: Environment): Message =>
  exportMessage(
    [`No health checks${environmentSuffix(environment)} match, so there’s nothing to export.`],
    filters,
    environment,
  )

function exportedView(
  { rows, unreadable, unknownAddresses, unknownAlerts, isUnchanged }: ExportCounts,
  filters: CheckFilters,
  environment: Environment,
): Message {
  const sentences = [
    `Exported ${pluralize(rows, 'health check')}${environmentSuffix(environment)} to the file below.`,
    unreadable > 0 && `Left out: ${formatCount(unreadable)} that Signalman couldn’t read.`,
    unknownAddresses > 0 &&
      `For ${pluralize(unknownAddresses, 'health check')}, the service doesn’t say whether the server address was set or comes from DNS. The file shows ? for those.`,
    unknownAlerts > 0 &&
      `For ${pluralize(unknownAlerts, 'health check')}, Signalman can’t write the alerts in a cell, because it can’t read them or they aren’t only emails. The file shows ? for those, and importing it leaves them as they are.`,
    !isUnchanged &&
      'The service’s list changed during the export or is incomplete, so some health checks may be missing. Export again for a complete list.',
  ]
  return exportMessage(
    sentences.filter((sentence) => sentence !== false),
    filters,
    environment,
  )
}

/** A check as it is exported; `alerts` is undefined if not requested. */
interface ExportedCheck {
  check: HealthCheck
  alerts?: readonly Alert[] | undefined
  address?: Address | undefined
}

const dropAlertsColumn = (cells: readonly string[], withAlerts: boolean): readonly string[] =>
  withAlerts ? cells : cells.slice(0, -1)

/** The first line of the file. */
export const formatExportHeader = (withAlerts: boolean): string =>
  BOM + csvText([dropAlertsColumn(COLUMN_NAMES, withAlerts)])

export const formatExportRows = (checks: readonly ExportedCheck[]): string =>
  csvText(
    checks.map(({ check, alerts, address }) =>
      dropAlertsColumn(toCells(check, toAlertCell(alerts ?? []), address), alerts !== undefined),
    ),
  )
