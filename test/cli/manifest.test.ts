import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '@signalman/playground'
import { expect, it } from 'vitest'
import { runVerb, signalman } from '../command-line.ts'
import { makeFolder } from '../databases/databases.ts'

it('prints a valid manifest for this deployment', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'manifest.json')
  const printed = await signalman(['manifest', '--url', 'https://bot.example.com', '--prefix', 'x-'])
  expect(printed).toMatchObject({ code: 0, stderr: '' })
  writeFileSync(path, printed.stdout)
  const manifest = readManifest(path)
  expect(manifest.commands.map(({ command }) => command)).toEqual(['/x-hc', '/x-threat', '/x-cert-order'])
  expect(manifest.requestUrls.events).toBe('https://bot.example.com/slack/events')
  const { bot_optional } = JSON.parse(printed.stdout).oauth_config.scopes
  expect(bot_optional).toContain('files:write')
  expect(bot_optional).not.toContain('commands')
})

it('is for HTTP with --url, also beside the token of Socket Mode', async () => {
  const env = { SLACK_APP_TOKEN: 'xapp-1' }
  const isSocketMode = async (...args: string[]) =>
    JSON.parse((await runVerb(['manifest', ...args], { env })).stdout).settings.socket_mode_enabled
  expect(await isSocketMode()).toBe(true)
  expect(await isSocketMode('--url', 'https://bot.example.com')).toBe(false)
  expect(await isSocketMode('--url', 'https://bot.example.com', '--socket')).toBe(true)
})

it('doesn’t need a URL in Socket Mode', async () => {
  const { code, stdout } = await runVerb(['manifest', '--socket'])
  expect(code).toBe(0)
  expect(stdout).not.toContain('http')
  expect(JSON.parse(stdout).settings.socket_mode_enabled).toBe(true)
})

it.each([
  { args: [], message: 'Use --url' },
  { args: ['--url', 'http://bot.example.com'], message: 'isn’t an https:// address without a path' },
  {
    args: ['--socket', '--prefix', 'Bad Prefix!'],
    message: '--prefix (or COMMAND_PREFIX) can contain only a–z',
  },
])('explains what is wrong with $args', async ({ args, message }) => {
  expect(await runVerb(['manifest', ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  })
})
