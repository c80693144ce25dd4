'use strict'
// What the Slack CLI asks of a project (https://docs.slack.dev/tools/slack-cli/reference/hooks, November 2026): with this, `slack run`
// makes the app in a workspace and runs it with tokens of its own, so that nobody pastes one. `.slack/hooks.json` names this file.
const { spawnSync } = require('node:child_process')
const { join, relative } = require('node:path')
const { become } = require('./nodes.cjs')

const SIGNALMAN = join(__dirname, 'signalman.cjs')

const [, , name, ...flags] = process.argv
/** With protocol "message-boundaries" an answer stands between two of these; without, it is all that is printed. */
const boundary = flags.map((flag) => /^--boundary=(.*)$/.exec(flag)?.[1]).find(Boolean) ?? ''
const answer = (text) => process.stdout.write(`${boundary}${text}${boundary}\n`)

const hooks = {
  'get-hooks'() {
    // The CLI takes these apart at spaces, and runs them in the folder that has `.slack`.
    const hook = (one) => `node ${relative(process.cwd(), __filename)} ${one}`
    answer(
      JSON.stringify({
        hooks: { 'get-manifest': hook('get-manifest'), start: hook('start'), doctor: hook('doctor') },
        config: { 'protocol-version': ['message-boundaries'], 'sdk-managed-connection-enabled': true },
        runtime: 'node',
      }),
    )
  },

  /** Of Socket Mode: it is the only way in which the CLI runs an app on somebody's machine. */
  'get-manifest'() {
    const { stdout, status } = signalman('manifest', '--socket')
    process.exitCode = status ?? 1
    if (status === 0) answer(stdout)
  },

  start() {
    const { SLACK_CLI_XAPP: app, SLACK_CLI_XOXB: bot } = process.env
    // The app takes no variable for its own that it does not know.
    const others = Object.entries(process.env).filter(([one]) => !OF_THE_CLI.test(one))
    const tokens = { ...(app && { SLACK_APP_TOKEN: app }), ...(bot && { SLACK_BOT_TOKEN: bot }) }
    become(process.execPath, [SIGNALMAN, 'serve'], { ...Object.fromEntries(others), ...tokens })
  },

  doctor() {
    const said = signalman('--version').stdout.trim().split(' ')[1]
    const versions = [
      { name: 'node', current: process.versions.node },
      {
        name: 'signalman',
        current: said ?? 'none',
        ...(said ? {} : { message: 'It does not start: see above.' }),
      },
    ]
    answer(JSON.stringify({ versions }))
  },
}

/** Those that it sets, and those by which people set it. */
const OF_THE_CLI = /^SLACK_(CLI_|CONFIG_DIR$|SERVICE_TOKEN$|DISABLE_TELEMETRY$|AUTO_REQUEST_AAA$|TEST_)/

function signalman(...args) {
  const stdio = ['ignore', 'pipe', 'inherit']
  return spawnSync(process.execPath, [SIGNALMAN, ...args], { encoding: 'utf8', stdio })
}

const hook = Object.hasOwn(hooks, name ?? '') ? hooks[name] : undefined
if (hook) hook()
else {
  process.stderr.write(`There is no hook "${name ?? ''}": there are ${Object.keys(hooks).join(', ')}.\n`)
  process.exitCode = 2
}
