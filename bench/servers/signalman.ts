import { type RunningApp, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { UNLIMITED } from '../../test/relaxed-limits.ts'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, listWorkspaces, SIGNING_SECRET, serviceTokenFor } from '../parts/slack.ts'

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
}

/** The whole app with its default configuration, connected to the benchmark's fake Slack and service. */
serveMeasured(async (settings: AppSettings) => {
  const { serviceUrl, sinkUrl, databaseUrl, encryptionKeys, serviceToken } = settings
  const { connected = 8 } = settings
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
  return app.url
})

async function connect({ store }: RunningApp, count: number): Promise<void> {
  for (const workspaceId of listWorkspaces(count)) {
    const token = serviceTokenFor(workspaceId)
    const connection = { workspaceId, userId: 'U1', now: new Date() }
    await store.connections.save({ ...connection, environment: 'production', token })
  }
}
