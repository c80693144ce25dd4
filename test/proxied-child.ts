import { setTimeout as pause } from 'node:timers/promises'
import { createSlackClient } from '../packages/slack/src/client/slack-client.ts'
import { createResponder, message, serializeAnswer } from '../packages/slack/src/index.ts'
import { createFetchSocketUrl, startSocketMode } from '../packages/slack/src/receive/socket-mode.ts'
import { createLog } from '../src/log.ts'
import { createService } from '../src/service/service.ts'

// Makes every kind of connection that leaves the process, to one address for Slack and the service. Throws if one fails.
const [, , address = ''] = process.argv
const api = `${address}/api/`

const slack = createSlackClient('xoxb-1', api)
await slack.check()
const id = await slack.uploadFile({ name: 'a', title: 'a', bytes: 1, body: Buffer.from('a') })
await slack.shareFile({ channelId: 'C1' }, { id, title: 'a' })
await using responder = createResponder(api)
const to = { responseUrl: `${address}/response`, workspaceId: 'T1' }
await responder.respond(to, serializeAnswer(message('Hi')))
await using service = createService({
  baseUrls: { production: address, ote: address },
  retry: { attempts: 1 },
})
const { healthChecks } = service.with({ environment: 'production', token: 't' })
await healthChecks.list({ limit: 1 })
await healthChecks.delete('0b9f8c1e-3f0a-4d0e-9c55-0c9a5d1f7e11')
await using sockets = startSocketMode({
  handle: async () => undefined,
  log: createLog('silent'),
  fetchSocketUrl: createFetchSocketUrl('xapp-1', api),
})
while (sockets.counts().open < 2) await pause(20)
