import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { signalman } from './command-line.ts'
import { makeFolder } from './databases/databases.ts'
import { findFreePort } from './free-port.ts'
import { runFile, runSignalman } from './process.ts'

it('responds to /hc in the playground after running the commands of docs/install.md', async () => {
  using folder = makeFolder()
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const { stdout } = await signalman(['manifest', '--socket'])
  const manifest = join(folder.path, 'manifest.json')
  writeFileSync(manifest, stdout)
  const port = await findFreePort()
  const slackUrl = `http://127.0.0.1:${port}`
  await using playground = runFile('packages/playground/src/main.ts', {
    args: ['--port', String(port), '--manifest', manifest, '--signing-secret', 'S'],
  })
  await playground.waitFor(/bot token xoxb-playground/)
  await using app = runSignalman(['serve'], {
    env: {
      SLACK_BOT_TOKEN: 'xoxb-playground',
      SLACK_APP_TOKEN: 'xapp-playground',
      SLACK_API_URL: `${slackUrl}/api/`,
      API_BASE_URL: sandbox.productionUrl,
      API_TOKEN: sandbox.token,
      PORT: '0',
      HOST: '127.0.0.1',
    },
    cwd: folder.path,
  })
  const [, appUrl = ''] = await app.waitFor(/"url":"([^"]+)"/)
  await expect.poll(async () => (await fetch(`${appUrl}/readyz`)).status).toBe(200)
  await createDriver(slackUrl).member.command('/hc', '', { until: 'There are no health checks' })
})
