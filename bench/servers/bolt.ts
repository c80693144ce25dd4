import type { AddressInfo } from 'node:net'
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'
import type { CheckRow } from '../parts/checks.ts'
import { createMessageBuilder } from '../parts/message-builder.ts'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, listWorkspaces, SIGNING_SECRET, serviceTokenFor } from '../parts/slack.ts'
import { fetchFirstPage, LIST_PATH } from '../parts/two-pages.ts'

interface Settings {
  /** The answer to each command after its acknowledgement. */
  answer: object
  /** Where the checks in the answer come from. By default, the same answer is posted each time. */
  serviceUrl?: string
  pageSize?: number
}

/** A Bolt app as in Bolt's guide, with a listener for `/hc` as somebody would write it: no roles, no validation, no limits. */
serveMeasured(async ({ answer, serviceUrl, pageSize = 0 }: Settings) => {
  const app = new App({
    receiver: new HTTPReceiver({ signingSecret: SIGNING_SECRET, logLevel: LogLevel.ERROR }),
    authorize: async () => ({ botToken: BOT_TOKEN, botId: 'B1', botUserId: 'U1' }),
    logLevel: LogLevel.ERROR,
  })

  const list = (workspace: string): Promise<CheckRow[]> =>
    fetchFirstPage(async (query) => {
      const headers = { authorization: `Bearer ${serviceTokenFor(workspace)}` }
      const response = await fetch(`${serviceUrl}${LIST_PATH}${query}`, { headers })
      // The benchmark's service returns nothing else.
      const { data } = (await response.json()) as { data: { results: CheckRow[] } }
      return data.results
    }, pageSize)

  const buildMessage = serviceUrl && createMessageBuilder(answer, await list(listWorkspaces(1)[0] ?? ''))
  app.command('/hc', async ({ ack, respond, command }) => {
    await ack()
    await respond(buildMessage ? buildMessage(await list(command.team_id)) : answer)
  })
  const server = await app.start({ port: 0, host: '127.0.0.1' })
  // A server that listens on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
