import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectOutput } from './process.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from './project-copy.ts'
import { LONG_SLACK_TIMEOUTS } from './relaxed-limits.ts'

const execute = promisify(execFile)
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
const BOUNDARY = 'ab12-boundary-34cd'

let project: ProjectCopy
let hooks: Hooks['hooks']
let config: Hooks['config']
beforeAll(async () => {
  project = await makeBuiltProjectCopy()
  const read = await readHooks()
  hooks = read.hooks
  config = read.config
})
afterAll(() => project[Symbol.asyncDispose]())

interface Hooks {
  hooks: Record<string, string>
  config?: { 'protocol-version'?: string[]; 'sdk-managed-connection-enabled'?: boolean }
}

/** Runs a hook like the Slack CLI: splits its command at spaces, and reads the answer between two boundaries. */
async function runHook(command: string, env: Record<string, string> = {}): Promise<unknown> {
  const [file = '', ...args] = command.split(/\s+/)
  const flags = ['--protocol=message-boundaries', `--boundary=${BOUNDARY}`]
  const { stdout } = await execute(file, [...args, ...flags], { cwd: project.root, env: { PATH, ...env } })
  const [, answer = '', ...rest] = stdout.split(BOUNDARY)
  expect(rest).toHaveLength(1)
  return JSON.parse(answer)
}

/** The hooks that `get-hooks` prints. Those in `.slack/hooks.json` take precedence. */
async function readHooks(): Promise<Hooks> {
  const fileHooks = JSON.parse(readFileSync(join(project.root, '.slack', 'hooks.json'), 'utf8')) as Hooks
  const [file = '', ...args] = (fileHooks.hooks['get-hooks'] ?? '').split(/\s+/)
  // The Slack CLI calls `get-hooks` without flags.
  const { stdout } = await execute(file, args, { cwd: project.root, env: { PATH } })
  const printed = JSON.parse(stdout) as Hooks
  return { ...printed, hooks: { ...printed.hooks, ...fileHooks.hooks } }
}

it('slack run creates the manifest and runs the app with the tokens of the Slack CLI', async () => {
  expect(config).toEqual({
    'protocol-version': ['message-boundaries'],
    'sdk-managed-connection-enabled': true,
  })
  const manifest = await runHook(hooks['get-manifest'] ?? '', { COMMAND_PREFIX: 'dev-' })
  expect(manifest).toMatchObject({ settings: { socket_mode_enabled: true } })
  const manifestPath = join(project.root, 'manifest.json')
  writeFileSync(manifestPath, JSON.stringify(manifest))

  await using sandbox = await startSandbox({ seed: false, checking: false })
  await using playground = await startPlayground({
    signingSecret: 'S',
    manifestPath,
    limits: LONG_SLACK_TIMEOUTS,
  })
  writeFileSync(
    join(project.root, '.env'),
    // The Slack CLI reads this file too. The token that the CLI passes must take precedence over the one in the file.
    `SLACK_BOT_TOKEN=xoxb-of-another\nCOMMAND_PREFIX=dev-\nAPI_BASE_URL=${sandbox.productionUrl}\nAPI_TOKEN=${sandbox.token}\n`,
  )
  const [file = '', ...args] = (hooks.start ?? '').split(/\s+/)
  const env = {
    PATH,
    SLACK_CLI_XAPP: 'xapp-playground',
    SLACK_CLI_XOXB: playground.botToken,
    SLACK_BOT_TOKEN: 'xoxb-of-another',
    SLACK_CONFIG_DIR: '/nowhere',
    SLACK_API_URL: playground.apiUrl,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  await using app = collectOutput(
    'slack run',
    spawn(file, args, { cwd: project.root, env, stdio: [...stdio] }),
  )
  const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
  const { member } = createDriver(playground.url)
  expect((await member.command('/dev-hc', '')).text).toContain('There are no health checks')
  app.child.kill('SIGTERM')
  expect(await app.ended).toBe(0)
})

it('slack doctor lists the versions, and rejects an unknown hook', async () => {
  expect(await runHook(hooks.doctor ?? '')).toEqual({
    versions: [
      { name: 'node', current: process.versions.node },
      { name: 'signalman', current: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    ],
  })
  await expect(runHook((hooks.doctor ?? '').replace('doctor', 'deploy'))).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no hook "deploy"'),
  })
})
