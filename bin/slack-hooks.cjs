'use strict'
// The hooks of the Slack CLI (https://docs.slack.dev/tools/slack-cli/reference/hooks, November 2026). With them, `slack run` creates
// the app in a workspace and runs it with its tokens, so that nobody has to paste one. `.slack/hooks.json` names this file.
const { spawnSync } = require('node:child_process')
const { join, relative } = require('node:path')
const { replaceProcess } = require('./nodes.cjs')

const SIGNALMAN = join(__dirname, 'signalman.cjs')

const [, , name, ...flags] = process.argv
/** With the protocol "message-boundaries", the response is between two of these. Without it, the response is the whole output. */
const boundary = flags.map((flag) => /^--boundary=(.*)$/.exec(flag)?.[1]).find(Boolean) ?? ''
const answer = (text) => process.stdout.write(`${boundary}${text}${boundary}\n`)

const hooks = {
  'get-hooks'() {
    // The CLI splits these at spaces, and runs them in the folder with `.slack`.
    const hook = (hookName) => `node ${relative(process.cwd(), __filename)} ${hookName}`
    answer(
      JSON.stringify({
        hooks: { 'get-manifest': hook('get-manifest'), start: hook('start'), doctor: hook('doctor') },
        config: { 'protocol-version': ['message-boundaries'], 'sdk-managed-connection-enabled': true },
        runtime: 'node',
      }),
    )
  },

  /** The manifest for Socket Mode, because the CLI runs apps only that way. */
  'get-manifest'() {
    const { stdout, status } = signalman('manifest', '--socket')
    process.exitCode = status ?? 1
    if (status === 0) answer(stdout)
  },

  start() {
    const { SLACK_CLI_XAPP: app, SLACK_CLI_XOXB: bot } = process.env
    // The app refuses unknown variables with its prefixes.
    const others = Object.entries(process.env).filter(([variable]) => !CLI_VARIABLE.test(variable))
    const tokens = { ...(app && { SLACK_APP_TOKEN: app }), ...(bot && { SLACK_BOT_TOKEN: bot }) }
    replaceProcess(process.execPath, [SIGNALMAN, 'serve'], { ...Object.fromEntries(others), ...tokens })
  },

  doctor() {
    const version = signalman('--version').stdout.trim().split(' ')[1]
    const versions = [
      { name: 'node', current: process.versions.node },
      {
        name: 'signalman',
        current: version ?? 'none',
        ...(version ? {} : { message: 'It doesn’t start. See above.' }),
      },
    ]
    answer(JSON.stringify({ versions }))
  },
}

/** Variables that the CLI sets, and variables that configure the CLI. */
const CLI_VARIABLE = /^SLACK_(CLI_|CONFIG_DIR$|SERVICE_TOKEN$|DISABLE_TELEMETRY$|AUTO_REQUEST_AAA$|TEST_)/

function signalman(...args) {
  const stdio = ['ignore', 'pipe', 'inherit']
  return spawnSync(process.execPath, [SIGNALMAN, ...args], { encoding: 'utf8', stdio })
}

const runHook = Object.hasOwn(hooks, name ?? '') ? hooks[name] : undefined
if (runHook) runHook()
else {
  process.stderr.write(`There is no hook "${name ?? ''}". The hooks are ${Object.keys(hooks).join(', ')}.\n`)
  process.exitCode = 2
}
