import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { openStore } from '../../src/store/store.ts'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, SIGNING_SECRET, tokenOf, WORKSPACES } from '../parts/slack.ts'

export interface WholeSettings {
  serviceUrl: string
  sinkUrl: string
  /** A file that is this server's alone. */
  databaseFile: string
  pageSize: number
}

/** The whole shipped app, each workspace with a token that it has stored. */
serveMeasured(async ({ serviceUrl, sinkUrl, databaseFile, pageSize }: WholeSettings) => {
  const databaseUrl = `sqlite:${databaseFile}`
  await storeTokens(databaseUrl)
  const config = readConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: `${sinkUrl}/api/`,
    API_BASE_URL: serviceUrl,
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const app = await startApp({ config, log: createLog(config.logLevel), pageSize })
  return app.url
})

async function storeTokens(url: string): Promise<void> {
  await using store = await openStore({ url })
  for (const workspaceId of WORKSPACES) {
    const token = tokenOf(workspaceId)
    await store.connections.save({
      workspaceId,
      environment: 'production',
      token,
      userId: 'U1',
      now: new Date(),
    })
  }
}
