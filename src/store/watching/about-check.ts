import { jsonArrayFrom as postgresList } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteList } from 'kysely/helpers/sqlite'
import type { Environment } from '../../domain/environment.ts'
import type { CheckTransition, Outage } from '../../domain/watching/outage.ts'
import type { Mute, Watch } from '../../domain/watching/watch.ts'
import type { Database } from '../database/database.ts'
import { MUTE_COLUMNS, OUTAGE_COLUMNS, TRANSITION_COLUMNS, WATCH_COLUMNS } from './columns.ts'
import { muteFrom, outageOf, transitionOf, watchOf } from './row.ts'

/** One check, and the channel in which it is asked about. */
export interface AboutCheckQuery {
  readonly workspaceId: string
  readonly environment: Environment
  readonly uuid: string
  readonly channelId: string | undefined
  /** The most changes to read. */
  readonly latest: number
}

/** All that is stored about one check. */
export interface AboutCheck {
  /** Every watch of the environment, by channel, oldest first. */
  readonly watches: Watch[]
  /** Every mute of the channel in the environment, also one that is over but not deleted yet. */
  readonly mutes: Mute[]
  /** The last changes of the check, newest first. */
  readonly latest: CheckTransition[]
  /** The check's present outage, as far as polling knows. */
  readonly outage: Outage | undefined
}

export type ReadAboutCheck = (query: AboutCheckQuery) => Promise<AboutCheck>

/** Reads all of it in one statement: one round trip, as of one moment. Writes nothing. */
export function readAboutCheck({ reading, kind }: Database): ReadAboutCheck {
  const list: typeof sqliteList = kind === 'postgres' ? postgresList : sqliteList
  return async ({ workspaceId, environment, uuid, channelId, latest }) => {
    const found = await reading
      .selectNoFrom((one) => {
        const of = { workspace_id: workspaceId, environment }
        const watches = one
          .selectFrom('watch')
          .select(WATCH_COLUMNS)
          .where((row) => row.and(of))
        const mutes = one
          .selectFrom('watch_mute')
          .select(MUTE_COLUMNS)
          // Without a channel there are no mutes.
          .where((row) => row.and({ ...of, channel_id: channelId ?? '' }))
        const changes = one
          .selectFrom('watch_transition')
          .select(TRANSITION_COLUMNS)
          .where((row) => row.and({ ...of, uuid }))
        const outages = one
          .selectFrom('watch_outage')
          .select(OUTAGE_COLUMNS)
          .where((row) => row.and({ ...of, uuid, status: 'UNHEALTHY' }))
          .where('ended_at', 'is', null)
        return [
          list(watches.orderBy('channel_id').orderBy('made_at').orderBy('id')).as('watches'),
          list(mutes).as('mutes'),
          list(changes.orderBy('at', 'desc').limit(latest)).as('latest'),
          list(outages.orderBy('started_at', 'desc').limit(1)).as('outages'),
        ]
      })
      .executeTakeFirstOrThrow()
    const [outage] = listOf(found.outages)
    return {
      watches: listOf(found.watches).map(watchOf),
      mutes: listOf(found.mutes).map(muteFrom),
      latest: listOf(found.latest).map(transitionOf),
      outage: outage && outageOf(outage),
    }
  }
}

/** PostgreSQL's client has read the JSON already; SQLite gives it as a text. */
const listOf = <T>(found: readonly T[]): readonly T[] =>
  typeof found === 'string' ? (JSON.parse(found) as T[]) : found
