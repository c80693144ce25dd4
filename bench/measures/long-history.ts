import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from '@signalman/runtime'
import { closeIncident, openIncident } from '../../src/domain/outages/incident.ts'
import { OBSERVED, SILENCE } from '../../src/features/watching/rows/columns.ts'
import { saveIncidents } from '../../src/features/watching/rows/incidents.ts'
import { openDatabase } from '../../test/databases/open.ts'
import { startWithLoad } from '../parts/app.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { checkRows } from '../parts/checks.ts'
import { listWorkspaces } from '../parts/slack.ts'

const DAYS = 90
const OUTAGES_OF_EACH = 5
const REASON = 'The first time, the code is compiled while it runs.'

/** Measures what others wait for while somebody reads the longest history of many checks. */
export async function measureHistory({ progress, size }: RunOptions): Promise<readonly Goal[]> {
  await using app = await startWithLoad()
  const now = Date.now()
  progress('adding outages')
  await addOutages(app.databaseUrl, size(1000, 10), now)
  const line = `history since ${new Date(now - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)}`
  // So that only the history is new to the process.
  await app.answerTo('help')
  const longestMs: number[] = []
  for (let count = 1; count <= size(11, 2); count += 1) {
    progress(`reading it, ${count}`)
    await app.ours.call('watchTurns')
    await app.answerTo(line)
    longestMs.push(await app.ours.call<number>('readLongestTurnMs'))
  }
  const [first = 0, ...later] = longestMs
  return [
    {
      goal: 'Longest turn for 90 days of 1,000 checks with nightly maintenance, the first time',
      atMost: 30,
      reached: first,
      unit: 'ms',
      reason: REASON,
    },
    {
      goal: 'The same, in ten more times',
      atMost: 30,
      reached: Math.max(...later),
      unit: 'ms',
      reason: 'A collection of the whole heap counts, too.',
    },
  ]
}

/** Adds several outages of each check, that all of the time was seen, and a nightly maintenance of some of the checks. */
async function addOutages(databaseUrl: string, checks: number, now: number): Promise<void> {
  await using database = await openDatabase(databaseUrl)
  const { rows } = database
  const [workspaceId = ''] = listWorkspaces(1)
  const scope = { workspaceId, environment: 'production' } as const
  const start = now - DAYS * DAY_MS
  const incidents = checkRows(checks).flatMap(({ uuid, name }, check) =>
    Array.from({ length: OUTAGES_OF_EACH }, (_, nth) => {
      const at = new Date(start + (nth + 0.5) * (DAYS / OUTAGES_OF_EACH) * DAY_MS + check * 7 * MINUTE_MS)
      const incident = openIncident({ uuid, name }, at, newId())
      return closeIncident(incident, new Date(at.getTime() + 10 * MINUTE_MS), 'recovered')
    }),
  )
  await saveIncidents(rows, scope, incidents)
  const seen = { from: new Date(start), to: new Date(now) }
  await rows
    .insertInto('watch_observed')
    .values(OBSERVED.toRow({ ...scope, ...seen }))
    .execute()
  const silence = {
    ...{ ...scope, channelId: '', id: newId() },
    ...{ subject: { kind: 'name', pattern: '*1*' } as const, isMaintenance: true },
    ...{ from: seen.from, to: new Date(start + HOUR_MS), every: 'day' as const, timeZone: 'Europe/Berlin' },
    ...{ reason: '', ownerId: 'U1', ownerName: 'Ann', madeAt: seen.from, endedAt: undefined },
  }
  await rows.insertInto('watch_silence').values(SILENCE.toRow(silence)).execute()
}
