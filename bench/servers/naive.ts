import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { App, HTTPReceiver, LogLevel, type RespondArguments } from '@slack/bolt'
import { createMessageBuilder } from '../parts/message-builder.ts'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, listWorkspaces, SIGNING_SECRET, serviceTokenFor } from '../parts/slack.ts'
import { ALL_CHECKS, createFirstPage } from '../parts/worst-first.ts'
import type { ListingSettings } from './minimal.ts'
import { NaivePage } from './naive-schema.ts'

interface NaiveSettings extends ListingSettings {
  /** The path of this server's own SQLite file. */
  databaseFile: string
}

const CIPHER = 'aes-256-gcm'

/**
 * A straightforward `/hc list`: Bolt's receiver, `fetch`, simple schemas, and a new prepared statement and cipher for every
 * request.
 */
serveMeasured(async ({ serviceUrl, pageSize, answer, databaseFile }: NaiveSettings) => {
  const database = new DatabaseSync(databaseFile)
  const secret = randomBytes(32)
  database.exec('create table token (workspace text primary key, nonce blob, sealed blob, tag blob)')
  for (const workspace of listWorkspaces(8)) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: 16 })
    const sealed = Buffer.concat([cipher.update(serviceTokenFor(workspace)), cipher.final()])
    database
      .prepare('insert into token values (?, ?, ?, ?)')
      .run(workspace, nonce, sealed, cipher.getAuthTag())
  }

  function tokenFor(workspace: string): string {
    const row = database.prepare('select nonce, sealed, tag from token where workspace = ?').get(workspace)
    // The table above has these columns, all of them bytes.
    const { nonce, sealed, tag } = row as { nonce: Uint8Array; sealed: Uint8Array; tag: Uint8Array }
    const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: 16 })
    decipher.setAuthTag(tag)
    return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8')
  }

  async function fetchPage(workspace: string) {
    const headers = { authorization: `Bearer ${tokenFor(workspace)}` }
    const answer = await fetch(`${serviceUrl}${ALL_CHECKS}`, { headers })
    return createFirstPage(NaivePage.parse(await answer.json()), pageSize)
  }
  const buildMessage = createMessageBuilder(answer, (await fetchPage(listWorkspaces(1)[0] ?? '')).results)

  const app = new App({
    receiver: new HTTPReceiver({ signingSecret: SIGNING_SECRET, logLevel: LogLevel.ERROR }),
    authorize: async () => ({ botToken: BOT_TOKEN, botId: 'B1', botUserId: 'U1' }),
    logLevel: LogLevel.ERROR,
  })
  app.command('/hc', async ({ ack, command, respond }) => {
    await ack()
    // The message is built from the app's own answer.
    await respond(buildMessage((await fetchPage(command.team_id)).results) as RespondArguments)
  })
  const server = await app.start({ port: 0, host: '127.0.0.1' })
  // A server that listens on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
