import { splitChunks } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { type RunningApp, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { changeWatching } from '../../test/decide.ts'
import { UNLIMITED } from '../../test/relaxed-limits.ts'
import { saveConnection } from '../../test/write-store.ts'
import { serveMeasured } from '../parts/server.ts'
import {
  BOT_TOKEN,
  channelOf,
  ENCRYPTION_KEYS,
  listWorkspaces,
  SIGNING_SECRET,
  serviceTokenFor,
} from '../parts/slack.ts'

export interface AppSettings {
  serviceUrl: string
  /** The address of the fake Slack. */
  sinkUrl: string
  databaseUrl: string
  /** How many workspaces store a token, and in how many channels each begins to watch all checks; none by default. */
  workspaces: number
  channels?: number
  /** How often they are polled; every minute by default. */
  intervalSeconds?: number | undefined
}

/** The whole app with its default configuration, connected to the benchmark's fake Slack and service. */
serveMeasured(async (settings: AppSettings) => {
  const { serviceUrl, sinkUrl, databaseUrl, workspaces, channels = 0, intervalSeconds = 60 } = settings
  const config = readConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: `${sinkUrl}/api/`,
    API_BASE_URL: serviceUrl,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS,
    WATCH_INTERVAL_SECONDS: String(intervalSeconds),
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const app = await startApp({ config, log: createLog(config.logLevel), budgets: UNLIMITED })
  for (const workspaceIds of splitChunks(listWorkspaces(workspaces), 20))
    await Promise.all(
      workspaceIds.map(async (workspaceId) => {
        await connect(app, workspaceId)
        for (let nth = 0; nth < channels; nth += 1) await watch(app, workspaceId, channelOf(workspaceId, nth))
      }),
    )
  return app.url
})

function connect({ store }: RunningApp, workspaceId: string): Promise<unknown> {
  const token = serviceTokenFor(workspaceId)
  const connection = { workspaceId, userId: 'U1', now: new Date() }
  return saveConnection(store, { ...connection, environment: 'production', token })
}

function watch({ store }: RunningApp, workspaceId: string, channelId: string): Promise<unknown> {
  const settings = {
    environment: 'production',
    filter: { include: [], exclude: [] },
    afterBadPolls: 1,
    ownerId: 'U1',
  } as const
  return changeWatching(store, workspaceId, ({ watches }) =>
    watches.add({ ...settings, id: newId(), workspaceId, channelId }),
  )
}
