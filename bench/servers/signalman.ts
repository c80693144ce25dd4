import { splitChunks } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { type RunningApp, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { ALL_CHECKS } from '../../src/features/watching/rules/watch.ts'
import { createLog } from '../../src/log.ts'
import { UNLIMITED } from '../../test/relaxed-limits.ts'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, channelOf, listWorkspaces, SIGNING_SECRET, serviceTokenFor } from '../parts/slack.ts'

export interface AppSettings {
  serviceUrl: string
  /** The address of the fake Slack. */
  sinkUrl: string
  databaseUrl: string
  encryptionKeys?: string
  /** A token for every workspace that hasn't stored one. */
  serviceToken?: string
  /** How many workspaces have stored a token; 8 by default. */
  connected?: number
  /** How many workspaces begin to watch all checks in a channel; none by default. */
  watching?: number
}

/** The whole app with its default configuration, connected to the benchmark's fake Slack and service. */
serveMeasured(async (settings: AppSettings) => {
  const { serviceUrl, sinkUrl, databaseUrl, encryptionKeys, serviceToken } = settings
  const { connected = 8, watching = 0 } = settings
  const config = readConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: `${sinkUrl}/api/`,
    API_BASE_URL: serviceUrl,
    DATABASE_URL: databaseUrl,
    ...(serviceToken && { API_TOKEN: serviceToken }),
    ...(encryptionKeys && { ENCRYPTION_KEYS: encryptionKeys }),
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const app = await startApp({
    config,
    log: createLog(config.logLevel),
    budgets: UNLIMITED,
  })
  await connect(app, connected)
  await watch(app, watching)
  return app.url
})

async function watch({ store }: RunningApp, count: number): Promise<void> {
  const settings = { environment: 'production', filter: ALL_CHECKS, afterBadPolls: 1, ownerId: 'U1' } as const
  for (const workspaceIds of splitChunks(listWorkspaces(count), 20))
    await Promise.all(
      workspaceIds.map((workspaceId) =>
        store.watching.watches.add({
          ...settings,
          ...{ id: newId(), workspaceId, channelId: channelOf(workspaceId) },
        }),
      ),
    )
}

async function connect({ store }: RunningApp, count: number): Promise<void> {
  for (const workspaceId of listWorkspaces(count)) {
    const token = serviceTokenFor(workspaceId)
    const connection = { workspaceId, userId: 'U1', now: new Date() }
    await store.connections.save({ ...connection, environment: 'production', token })
  }
}
